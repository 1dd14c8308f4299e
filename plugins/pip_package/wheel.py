# SPDX-License-Identifier: Apache-2.0
"""Makes wheels for a test: wheel.py DIRECTORY NAME-VERSION[:REQUIREMENT]..."""
import sys
import zipfile

for text in sys.argv[2:]:
    what, _, requirement = text.partition(":")
    name, version = what.split("-")
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    if requirement:
        metadata += f"Requires-Dist: {requirement}\n"
    files = {
        f"{name}/__init__.py": f"version = '{version}'\n",
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in files) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}-{version}-py3-none-any.whl", "w") as wheel:
        for file, content in files.items():
            wheel.writestr(file, content)
