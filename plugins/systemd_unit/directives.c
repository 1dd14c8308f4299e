/* SPDX-License-Identifier: Apache-2.0 */
/* directives - the settings that systemd knows, by section: those of 252 with what came until 258, and the
 * former names that it still takes.
 *
 * `systemd --dump-configuration-items` prints those of a machine. */

#include "directives.h"

#include <string.h>

/* Of processes: systemd.exec(5). */
static const char processes[] =
    "AmbientCapabilities\0AppArmorProfile\0BPFDelegateAttachments\0BPFDelegateCommands\0BPFDelegateMaps\0"
    "BPFDelegatePrograms\0BindPaths\0BindReadOnlyPaths\0CPUAffinity\0CPUSchedulingPolicy\0"
    "CPUSchedulingPriority\0CPUSchedulingResetOnFork\0CacheDirectory\0CacheDirectoryAccounting\0"
    "CacheDirectoryMode\0CacheDirectoryQuota\0CapabilityBoundingSet\0ConfigurationDirectory\0"
    "ConfigurationDirectoryMode\0CoredumpFilter\0DelegateNamespaces\0DynamicUser\0Environment\0"
    "EnvironmentFile\0ExecPaths\0ExecSearchPath\0ExtensionDirectories\0ExtensionImagePolicy\0"
    "ExtensionImages\0Group\0IOSchedulingClass\0IOSchedulingPriority\0IPCNamespacePath\0IgnoreSIGPIPE\0"
    "ImportCredential\0InaccessibleDirectories\0InaccessiblePaths\0KeyringMode\0LimitAS\0LimitCORE\0"
    "LimitCPU\0LimitDATA\0LimitFSIZE\0LimitLOCKS\0LimitMEMLOCK\0LimitMSGQUEUE\0LimitNICE\0LimitNOFILE\0"
    "LimitNPROC\0LimitRSS\0LimitRTPRIO\0LimitRTTIME\0LimitSIGPENDING\0LimitSTACK\0LoadCredential\0"
    "LoadCredentialEncrypted\0LockPersonality\0LogExtraFields\0LogLevelMax\0LogNamespace\0"
    "LogRateLimitBurst\0LogRateLimitIntervalSec\0LogsDirectory\0LogsDirectoryAccounting\0"
    "LogsDirectoryMode\0LogsDirectoryQuota\0MemoryDenyWriteExecute\0MemoryKSM\0MountAPIVFS\0MountFlags\0"
    "MountImagePolicy\0MountImages\0NUMAMask\0NUMAPolicy\0NetworkNamespacePath\0Nice\0NoExecPaths\0"
    "NoNewPrivileges\0OOMScoreAdjust\0PAMName\0PassEnvironment\0Personality\0PrivateBPF\0PrivateDevices\0"
    "PrivateIPC\0PrivateMounts\0PrivateNetwork\0PrivatePIDs\0PrivateTmp\0PrivateUsers\0ProcSubset\0"
    "ProtectClock\0ProtectControlGroups\0ProtectHome\0ProtectHostname\0ProtectKernelLogs\0"
    "ProtectKernelModules\0ProtectKernelTunables\0ProtectProc\0ProtectSystem\0ReadOnlyDirectories\0"
    "ReadOnlyPaths\0ReadWriteDirectories\0ReadWritePaths\0RemoveIPC\0RestrictAddressFamilies\0"
    "RestrictFileSystems\0RestrictNamespaces\0RestrictRealtime\0RestrictSUIDSGID\0RootDirectory\0"
    "RootEphemeral\0RootHash\0RootHashSignature\0RootImage\0RootImageOptions\0RootImagePolicy\0"
    "RootVerity\0RuntimeDirectory\0RuntimeDirectoryMode\0RuntimeDirectoryPreserve\0SELinuxContext\0"
    "SecureBits\0SetCredential\0SetCredentialEncrypted\0SetLoginEnvironment\0SmackProcessLabel\0"
    "StandardError\0StandardInput\0StandardInputData\0StandardInputText\0StandardOutput\0StateDirectory\0"
    "StateDirectoryAccounting\0StateDirectoryMode\0StateDirectoryQuota\0SupplementaryGroups\0"
    "SyslogFacility\0SyslogIdentifier\0SyslogLevel\0SyslogLevelPrefix\0SystemCallArchitectures\0"
    "SystemCallErrorNumber\0SystemCallFilter\0SystemCallLog\0TTYColumns\0TTYPath\0TTYReset\0TTYRows\0"
    "TTYVHangup\0TTYVTDisallocate\0TemporaryFileSystem\0TimeoutCleanSec\0TimeoutSec\0TimerSlackNSec\0"
    "UMask\0UnsetEnvironment\0User\0UserNamespacePath\0UtmpIdentifier\0UtmpMode\0WorkingDirectory\0";

/* How processes end: systemd.kill(5). */
static const char ends[] =
    "FinalKillSignal\0KillMode\0KillSignal\0RestartKillSignal\0SendSIGHUP\0SendSIGKILL\0WatchdogSignal\0";

/* What processes may use: systemd.resource-control(5). */
static const char resources[] =
    "AllowedCPUs\0AllowedMemoryNodes\0BPFProgram\0BlockIOAccounting\0BlockIODeviceWeight\0"
    "BlockIOReadBandwidth\0BlockIOWeight\0BlockIOWriteBandwidth\0CPUAccounting\0CPUQuota\0"
    "CPUQuotaPeriodSec\0CPUShares\0CPUWeight\0CoredumpReceive\0DefaultMemoryLow\0DefaultMemoryMin\0"
    "DefaultStartupMemoryLow\0Delegate\0DelegateSubgroup\0DeviceAllow\0DevicePolicy\0DisableControllers\0"
    "IOAccounting\0IODeviceLatencyTargetSec\0IODeviceWeight\0IOReadBandwidthMax\0IOReadIOPSMax\0"
    "IOWeight\0IOWriteBandwidthMax\0IOWriteIOPSMax\0IPAccounting\0IPAddressAllow\0IPAddressDeny\0"
    "IPEgressFilterPath\0IPIngressFilterPath\0ManagedOOMMemoryPressure\0"
    "ManagedOOMMemoryPressureDurationSec\0ManagedOOMMemoryPressureLimit\0ManagedOOMPreference\0"
    "ManagedOOMSwap\0MemoryAccounting\0MemoryHigh\0MemoryLimit\0MemoryLow\0MemoryMax\0MemoryMin\0"
    "MemoryPressureThresholdSec\0MemoryPressureWatch\0MemorySwapMax\0MemoryZSwapMax\0"
    "MemoryZSwapWriteback\0NFTSet\0RestrictNetworkInterfaces\0Slice\0SocketBindAllow\0SocketBindDeny\0"
    "StartupAllowedCPUs\0StartupAllowedMemoryNodes\0StartupBlockIOWeight\0StartupCPUShares\0"
    "StartupCPUWeight\0StartupIOWeight\0StartupMemoryHigh\0StartupMemoryLow\0StartupMemoryMax\0"
    "StartupMemorySwapMax\0StartupMemoryZSwapMax\0TasksAccounting\0TasksMax\0";

static const char unit[] =
    "After\0AllowIsolate\0AssertACPower\0AssertArchitecture\0AssertCPUFeature\0AssertCPUPressure\0"
    "AssertCPUs\0AssertCapability\0AssertControlGroupController\0AssertCredential\0"
    "AssertDirectoryNotEmpty\0AssertEnvironment\0AssertFileIsExecutable\0AssertFileNotEmpty\0"
    "AssertFirstBoot\0AssertGroup\0AssertHost\0AssertIOPressure\0AssertKernelCommandLine\0"
    "AssertKernelModuleLoaded\0AssertKernelVersion\0AssertMemory\0AssertMemoryPressure\0"
    "AssertNeedsUpdate\0AssertOSRelease\0AssertPathExists\0AssertPathExistsGlob\0AssertPathIsDirectory\0"
    "AssertPathIsEncrypted\0AssertPathIsMountPoint\0AssertPathIsReadWrite\0AssertPathIsSocket\0"
    "AssertPathIsSymbolicLink\0AssertSecurity\0AssertUser\0AssertVersion\0AssertVirtualization\0Before\0"
    "BindTo\0BindsTo\0CollectMode\0ConditionACPower\0ConditionArchitecture\0ConditionCPUFeature\0"
    "ConditionCPUPressure\0ConditionCPUs\0ConditionCapability\0ConditionControlGroupController\0"
    "ConditionCredential\0ConditionDirectoryNotEmpty\0ConditionEnvironment\0ConditionFileIsExecutable\0"
    "ConditionFileNotEmpty\0ConditionFirmware\0ConditionFirstBoot\0ConditionGroup\0ConditionHost\0"
    "ConditionIOPressure\0ConditionKernelCommandLine\0ConditionKernelModuleLoaded\0"
    "ConditionKernelVersion\0ConditionMemory\0ConditionMemoryPressure\0ConditionNeedsUpdate\0"
    "ConditionOSRelease\0ConditionPathExists\0ConditionPathExistsGlob\0ConditionPathIsDirectory\0"
    "ConditionPathIsEncrypted\0ConditionPathIsMountPoint\0ConditionPathIsReadWrite\0"
    "ConditionPathIsSocket\0ConditionPathIsSymbolicLink\0ConditionSecurity\0ConditionUser\0"
    "ConditionVersion\0ConditionVirtualization\0Conflicts\0DefaultDependencies\0Description\0"
    "Documentation\0FailureAction\0FailureActionExitStatus\0IgnoreOnIsolate\0JobRunningTimeoutSec\0"
    "JobTimeoutAction\0JobTimeoutRebootArgument\0JobTimeoutSec\0JoinsNamespaceOf\0OnFailure\0"
    "OnFailureIsolate\0OnFailureJobMode\0OnSuccess\0OnSuccessJobMode\0PartOf\0PropagateReloadFrom\0"
    "PropagateReloadTo\0PropagatesReloadTo\0PropagatesStopTo\0RebootArgument\0RefuseManualStart\0"
    "RefuseManualStop\0ReloadPropagatedFrom\0Requires\0RequiresMountsFor\0RequiresOverridable\0"
    "Requisite\0RequisiteOverridable\0SourcePath\0StartLimitAction\0StartLimitBurst\0StartLimitInterval\0"
    "StartLimitIntervalSec\0StopPropagatedFrom\0StopWhenUnneeded\0SuccessAction\0"
    "SuccessActionExitStatus\0SurviveFinalKillSignal\0Upholds\0Wants\0";

static const char install[] = "Alias\0Also\0DefaultInstance\0RequiredBy\0WantedBy\0";

static const char service[] =
    "BusName\0ExecCondition\0ExecReload\0ExecReloadPost\0ExecStart\0ExecStartPost\0ExecStartPre\0"
    "ExecStop\0ExecStopPost\0ExitType\0ExtraFileDescriptors\0FailureAction\0FileDescriptorStoreMax\0"
    "FileDescriptorStorePreserve\0GuessMainPID\0LUOSession\0NonBlocking\0NotifyAccess\0OOMPolicy\0"
    "OpenFile\0PIDFile\0PermissionsStartOnly\0RebootArgument\0RefreshOnReload\0ReloadSignal\0"
    "RemainAfterExit\0Restart\0RestartForceExitStatus\0RestartMaxDelaySec\0RestartMode\0"
    "RestartPreventExitStatus\0RestartSec\0RestartSteps\0RootDirectoryStartOnly\0RuntimeMaxSec\0"
    "RuntimeRandomizedExtraSec\0Sockets\0StartLimitAction\0StartLimitBurst\0StartLimitInterval\0"
    "SuccessExitStatus\0TimeoutAbortSec\0TimeoutStartFailureMode\0TimeoutStartSec\0"
    "TimeoutStopFailureMode\0TimeoutStopSec\0Type\0USBFunctionDescriptors\0USBFunctionStrings\0"
    "WatchdogSec\0";

static const char sock[] =
    "Accept\0AcceptFileDescriptors\0Backlog\0BindIPv6Only\0BindToDevice\0Broadcast\0DeferAcceptSec\0"
    "DeferTrigger\0DeferTriggerMaxSec\0DirectoryMode\0ExecStartPost\0ExecStartPre\0ExecStopPost\0"
    "ExecStopPre\0FileDescriptorName\0FlushPending\0FreeBind\0IPTOS\0IPTTL\0KeepAlive\0"
    "KeepAliveIntervalSec\0KeepAliveProbes\0KeepAliveTimeSec\0ListenDatagram\0ListenFIFO\0"
    "ListenMessageQueue\0ListenNetlink\0ListenSequentialPacket\0ListenSpecial\0ListenStream\0"
    "ListenUSBFunction\0Mark\0MaxConnections\0MaxConnectionsPerSource\0MessageQueueMaxMessages\0"
    "MessageQueueMessageSize\0NoDelay\0PassCredentials\0PassFileDescriptorsToExec\0PassPIDFD\0"
    "PassPacketInfo\0PassSecurity\0PipeSize\0PollLimitBurst\0PollLimitIntervalSec\0Priority\0"
    "ReceiveBuffer\0RemoveOnStop\0ReusePort\0SELinuxContextFromNet\0SendBuffer\0Service\0SmackLabel\0"
    "SmackLabelIPIn\0SmackLabelIPOut\0SocketGroup\0SocketMode\0SocketProtocol\0SocketUser\0Symlinks\0"
    "TCPCongestion\0Timestamping\0Transparent\0TriggerLimitBurst\0TriggerLimitIntervalSec\0Writable\0";

static const char mount[] =
    "DirectoryMode\0ForceUnmount\0LazyUnmount\0Options\0ReadWriteOnly\0SloppyOptions\0Type\0What\0Where\0";

static const char automount[] = "DirectoryMode\0ExtraOptions\0TimeoutIdleSec\0Where\0";

static const char swap[] = "Options\0Priority\0What\0";

static const char timer[] =
    "AccuracySec\0DeferReactivation\0FixedRandomDelay\0OnActiveSec\0OnBootSec\0OnCalendar\0"
    "OnClockChange\0OnStartupSec\0OnTimezoneChange\0OnUnitActiveSec\0OnUnitInactiveSec\0Persistent\0"
    "RandomizedDelaySec\0RandomizedOffsetSec\0RemainAfterElapse\0Unit\0WakeSystem\0";

static const char path[] =
    "DirectoryMode\0DirectoryNotEmpty\0MakeDirectory\0PathChanged\0PathExists\0PathExistsGlob\0"
    "PathModified\0TriggerLimitBurst\0TriggerLimitIntervalSec\0Unit\0";

static const char slice[] = "ConcurrencyHardMax\0ConcurrencySoftMax\0";

static const char scope[] = "OOMPolicy\0RuntimeMaxSec\0RuntimeRandomizedExtraSec\0TimeoutStopSec\0";

/* A section, the unit type that it is for (NULL: all), and what may be set in it. */
static const struct section {
    const char *name, *type;
    const char *settings[4]; /* each name ends with a NUL, and the last one with two */
} sections[] = {
    { "Unit", NULL, { unit } },
    { "Install", NULL, { install } },
    { "Service", "service", { service, processes, ends, resources } },
    { "Socket", "socket", { sock, processes, ends, resources } },
    { "Mount", "mount", { mount, processes, ends, resources } },
    { "Automount", "automount", { automount } },
    { "Swap", "swap", { swap, processes, ends, resources } },
    { "Timer", "timer", { timer } },
    { "Path", "path", { path } },
    { "Slice", "slice", { slice, resources } },
    { "Scope", "scope", { scope, ends, resources } },
};

enum {
    N_SECTIONS = sizeof sections / sizeof *sections,
    LISTS = sizeof sections->settings / sizeof *sections->settings,
    LONGEST = 64,
    LONG = 10, /* letters, from which on two of them may be wrong */
};

static const struct section *
find(const char *name)
{
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (strcmp(sections[i].name, name) == 0)
            return &sections[i];
    return NULL;
}

static int
has(const struct section *s, const char *setting)
{
    for (size_t k = 0; k < LISTS && s->settings[k]; k++)
        for (const char *at = s->settings[k]; *at; at += strlen(at) + 1)
            if (strcmp(at, setting) == 0)
                return 1;
    return 0;
}

const char *
directives_type_of(const char *section)
{
    const struct section *s = find(section);

    return !s ? NULL : s->type ? s->type : "";
}

int
directives_has(const char *section, const char *setting)
{
    const struct section *s = find(section);

    return s && has(s, setting);
}

const char *
directives_section_of(const char *setting, const char *type)
{
    for (size_t i = 0; i < N_SECTIONS; i++)
        if ((!sections[i].type || strcmp(sections[i].type, type) == 0) && has(&sections[i], setting))
            return sections[i].name;
    return NULL;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t n = a < b ? a : b;

    return n < c ? n : c;
}

/* Letters that were added, left out, exchanged, or swapped with the next; capitals are as good as small ones.
 */
static size_t
distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], n = strlen(b);

    if (strlen(a) > LONGEST || n > LONGEST)
        return LONGEST;
    for (size_t k = 0; k <= n; k++)
        rows[0][k] = k;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t k = 1; k <= n; k++) {
            size_t differs = lower(a[i - 1]) != lower(b[k - 1]);

            now[k] = least(now[k - 1] + 1, before[k] + 1, before[k - 1] + differs);
            if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]))
                now[k] = least(now[k], earlier[k - 2] + 1, now[k]);
        }
    }
    return rows[strlen(a) % 3][n];
}

/* Keeps `name` when it is nearer to `word` than what was found. */
static void
try(const char *word, const char *name, const char **best, size_t *how_far)
{
    size_t far = distance(word, name);

    if (far < *how_far) {
        *best = name;
        *how_far = far;
    }
}

/* What is not nearer is none. */
static size_t
too_far(const char *word)
{
    return strlen(word) < LONG ? 2 : 3;
}

const char *
directives_near_section(const char *word)
{
    size_t how_far = too_far(word);
    const char *best = NULL;

    for (size_t i = 0; i < N_SECTIONS; i++)
        try(word, sections[i].name, &best, &how_far);
    return best;
}

const char *
directives_near_setting(const char *section, const char *word)
{
    const struct section *s = find(section);
    size_t how_far = too_far(word);
    const char *best = NULL;

    for (size_t k = 0; s && k < LISTS && s->settings[k]; k++)
        for (const char *at = s->settings[k]; *at; at += strlen(at) + 1)
            try(word, at, &best, &how_far);
    return best;
}
