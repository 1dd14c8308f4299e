#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hints.py PORT CA CERTIFICATE KEY CLIENTS ROUNDS -- COMMAND...: how long a hint takes to simulated agents.

Each client is a connection with TLS and a certificate to nats-server, which has subscribed to rhost.hint as an agent has.
COMMAND sends a hint. Times are from before COMMAND is started, and from when the first client has it.
"""
import asyncio
import ssl
import statistics
import sys
import time

port, ca, certificate, key, clients, rounds = int(sys.argv[1]), *sys.argv[2:5], int(sys.argv[5]), int(sys.argv[6])
command = sys.argv[8:]
context = ssl.create_default_context(cafile=ca)
context.load_cert_chain(certificate, key)
arrived = []


async def client(gate):
    async with gate:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert (await reader.readline()).startswith(b"INFO ")
        await writer.start_tls(context, server_hostname="localhost")
        writer.write(b'CONNECT {"verbose": false, "pedantic": false}\r\nSUB rhost.hint 1\r\nPING\r\n')
        while True:
            line = await reader.readline()
            assert line and not line.startswith(b"-ERR"), line
            if line == b"PONG\r\n":
                break
    return asyncio.create_task(listen(reader, writer))


async def listen(reader, writer):
    while line := await reader.readline():
        if line.startswith(b"MSG "):
            arrived.append(time.monotonic())
        elif line == b"PING\r\n":
            writer.write(b"PONG\r\n")


def figures(times):
    times = sorted(times)
    return "p50 %.0f ms, p99 %.0f ms, max %.0f ms" % tuple(
        1000 * t for t in (statistics.median(times), times[int(0.99 * (len(times) - 1))], times[-1]))


async def main():
    gate = asyncio.Semaphore(20)
    begin = time.monotonic()
    listeners = await asyncio.gather(*(client(gate) for _ in range(clients)))
    print("%d clients connected in %.1f s" % (clients, time.monotonic() - begin), flush=True)
    for _ in range(rounds):
        arrived.clear()
        begin = time.monotonic()
        process = await asyncio.create_subprocess_exec(*command)
        status = await process.wait()
        assert status == 0, status
        end = time.monotonic() + 60
        while len(arrived) < clients and time.monotonic() < end:
            await asyncio.sleep(0.01)
        print("%d of %d have the hint; from the start of the command: %s; from the first: %s" % (
            len(arrived), clients, figures([t - begin for t in arrived]), figures([t - min(arrived) for t in arrived])), flush=True)
        await asyncio.sleep(1)
    for task in listeners:
        task.cancel()


asyncio.run(main())
