package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.machine.Commands.Result;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The life of the package: installed, verified, upgraded, downgraded, reinstalled, erased. */
class PackageE2e {
    /** Debian's rpm warns without it that it is not dpkg. */
    private static final String DEBIAN = "--force-debian";

    private static final String SPEC = "packaging/rpm/imex-agent.spec";

    /** The macros of systemd's package for rpm (src/rpm/macros.systemd.in), which Debian's rpm lacks. */
    private static final List<String> MACROS = List.of(
            "systemd_post",
            "systemd_preun",
            "systemd_postun_with_restart",
            "sysusers_create",
            "tmpfiles_create",
            "journal_catalog_update");

    private static final long MOST_BYTES = 60L * 1024 * 1024;

    @Test
    void rpmlintFindsNoError() throws Exception {
        Result result = Commands.run(
                Duration.ofMinutes(2),
                List.of(
                        "rpmlint",
                        "--config",
                        "packaging/rpm/rpmlint.toml",
                        SPEC,
                        Packages.find().source().toString(),
                        Packages.find().agent().toString(),
                        Packages.find().policy().toString()));

        assertThat(result.output()).contains(" 0 errors");
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    /** What the macros do is the distribution's; that they are called, and nothing in their place, is the spec's. */
    @Test
    void scriptletsAreTheDistributionsWhereItHasMacros() throws Exception {
        List<String> command = new ArrayList<>(List.of("rpmspec", "--parse"));
        for (String macro : MACROS) {
            command.addAll(List.of("--define", macro + "() : " + macro + " of the distribution for %*"));
        }
        command.add(SPEC);

        String spec = Commands.succeed(Duration.ofMinutes(1), command);

        String scriptlets = spec.substring(spec.indexOf("\n%post\n"), spec.indexOf("\n%post selinux\n"));
        assertThat(scriptlets.lines().filter(line -> !line.isBlank() && !line.startsWith("#")))
                .containsExactly(
                        "%post",
                        ": sysusers_create of the distribution for imex-agent.conf",
                        ": tmpfiles_create of the distribution for imex-agent.conf",
                        ": journal_catalog_update of the distribution for ",
                        ": systemd_post of the distribution for imex-agent.service imex-agent-late-driver.path"
                                + " imex-controller.service",
                        "%preun",
                        ": systemd_preun of the distribution for imex-agent.service imex-agent-late-driver.path"
                                + " imex-agent-late-driver.service imex-controller.service",
                        "%postun",
                        ": systemd_postun_with_restart of the distribution for imex-agent.service"
                                + " imex-controller.service");
    }

    @Test
    void theSpecServesGraceHosts() throws Exception {
        String built = Commands.succeed(
                Duration.ofMinutes(1),
                List.of("rpmspec", "--query", "--target", "aarch64", "--queryformat", "%{NAME} %{ARCH}\n", SPEC));

        assertThat(built).startsWith("imex-agent aarch64");
        assertThat(Commands.succeed(Duration.ofMinutes(1), List.of("rpmspec", "--parse", "--target", "aarch64", SPEC)))
                .contains("ExclusiveArch:  x86_64 aarch64");
    }

    @Test
    void isNotLargerThanItMayBe() throws Exception {
        assertThat(Files.size(Packages.find().agent())).isLessThanOrEqualTo(MOST_BYTES);
    }

    @Test
    void needsNothingThatRhel9Lacks() throws Exception {
        List<String> provided = Files.readAllLines(Path.of("packaging/rpm/tests/rhel9-provides.txt"));
        String systemd = versionOf("systemd", provided);

        List<String> required = Packages.query(Packages.find().agent(), "--requires")
                .lines()
                .map(String::strip)
                .filter(line -> !line.startsWith("rpmlib(") && !line.startsWith("config(imex-agent)"))
                .toList();

        assertThat(required).contains("systemd >= 252").anyMatch(line -> line.startsWith("libc.so.6"));
        assertThat(Commands.succeed(
                                Duration.ofSeconds(30),
                                List.of("rpm", "--eval", "%{lua: print(rpm.vercmp('" + systemd + "', '252'))}"))
                        .strip())
                .as("systemd " + systemd + " of RHEL 9 against what is required")
                .isEqualTo("1");
        assertThat(required).filteredOn(line -> !line.startsWith("systemd")).isSubsetOf(provided);
        assertThat(required).filteredOn(line -> line.startsWith("systemd")).containsOnly("systemd", "systemd >= 252");
    }

    private static String versionOf(String name, List<String> provided) {
        return provided.stream()
                .filter(line -> line.startsWith(name + " = "))
                .map(line -> line.substring(line.indexOf('=') + 2))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in the list with its version"));
    }

    @Test
    void rpmOfRhel9UnderstandsIt() throws Exception {
        // Of the features that rpm 4.16 has, see rpmlib(7); payloads in zstd came with 4.14.
        assertThat(Packages.query(Packages.find().agent(), "--requires")
                        .lines()
                        .filter(line -> line.startsWith("rpmlib(")))
                .allMatch(line -> line.matches("rpmlib\\((CompressedFileNames|FileDigests|PayloadFilesHavePrefix"
                        + "|PayloadIsZstd|RichDependencies|FileCaps|LargeFiles|TildeInVersions)\\).*"));
    }

    @Test
    void installsIsVerifiedAndGoesWithoutALeftover() throws Exception {
        try (SystemdMachine machine = Machines.bare()) {
            Packages packages = Packages.find().into(machine);
            assertThat(machine.boot()).isEqualTo("running");
            // A folder of the distribution's, which Debian lacks.
            machine.succeed("mkdir", "-p", "/usr/share/licenses");
            Set<String> before = files(machine);

            quietly(
                    machine,
                    "rpm",
                    DEBIAN,
                    "--install",
                    packages.base().toString(),
                    packages.agent().toString());
            verified(machine);
            assertThat(machine.succeed("systemctl", "is-enabled", "imex-agent.service"))
                    .isEqualTo("enabled");
            assertThat(machine.run("systemctl", "is-enabled", "imex-controller.service")
                            .output())
                    .isEqualTo("disabled");
            assertThat(machine.run("systemctl", "is-active", "imex-agent.service")
                            .output())
                    .isEqualTo("inactive");
            assertThat(machine.succeed("imex-agent", "--version")).startsWith("imex-agent ");
            assertThat(machine.succeed("getent", "passwd", "imex-controller")).contains("nologin");

            quietly(machine, "rpm", DEBIAN, "--reinstall", packages.agent().toString());
            verified(machine);

            quietly(machine, "rpm", DEBIAN, "--erase", "imex-agent");
            assertThat(machine.run("systemctl", "cat", "imex-agent.service").exitCode())
                    .isNotZero();
            Set<String> left = files(machine);
            left.removeAll(before);
            assertThat(left).isEmpty();
        }
    }

    @Test
    void keepsTheOperatorsConfigurationThroughUpgradeAndDowngrade() throws Exception {
        try (SystemdMachine machine = Machines.bare()) {
            Packages packages = Packages.find().into(machine);
            machine.boot();
            quietly(
                    machine,
                    "rpm",
                    DEBIAN,
                    "--install",
                    packages.base().toString(),
                    packages.previous().toString());
            assertThat(machine.file("/usr/share/doc/imex-agent/gone.md")).exists();
            machine.write("/etc/imex-agent/config.yaml", "log:\n  level: debug\n");

            Result upgrade =
                    machine.run("rpm", DEBIAN, "--upgrade", packages.agent().toString());
            assertThat(upgrade.exitCode()).as(upgrade.output()).isZero();
            assertThat(upgrade.output()).contains("config.yaml created as").contains("config.yaml.rpmnew");
            assertThat(machine.file("/etc/imex-agent/config.yaml")).hasContent("log:\n  level: debug\n");
            assertThat(machine.file("/usr/share/doc/imex-agent/gone.md")).doesNotExist();
            assertThat(machine.file("/usr/share/doc/imex-agent/CHANGELOG.md")).exists();
            assertThat(machine.succeed("imex-agent", "config", "validate")).isNotNull();

            assertThat(programFiles(machine)).isEqualTo(packagedFiles(machine));

            Result downgrade = machine.run(
                    "rpm",
                    DEBIAN,
                    "--upgrade",
                    "--oldpackage",
                    packages.previous().toString());
            assertThat(downgrade.exitCode()).as(downgrade.output()).isZero();
            assertThat(machine.file("/etc/imex-agent/config.yaml")).hasContent("log:\n  level: debug\n");
            assertThat(machine.succeed("rpm", DEBIAN, "-q", "imex-agent")).contains("-0.9.");
            assertThat(programFiles(machine)).isEqualTo(packagedFiles(machine));
            // All is as packaged but for what the operator wrote.
            assertThat(machine.run("rpm", DEBIAN, "--verify", "imex-agent").output())
                    .matches("\\S+ +c /etc/imex-agent/config.yaml");
        }
    }

    @Test
    void erasedWhileItRunsItStopsFirst() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            assertThat(machine.boot()).as(machine.console()).isEqualTo("running");
            assertThat(machine.property(HostNode.AGENT, "ActiveState")).isEqualTo("active");

            quietly(machine, "rpm", DEBIAN, "--erase", "imex-agent");

            assertThat(machine.run("pgrep", "-f", "imex-agent").output()).isEmpty();
            assertThat(machine.run("systemctl", "cat", HostNode.AGENT).exitCode())
                    .isNotZero();
            assertThat(machine.journal(HostNode.AGENT)).contains("Deactivated successfully");
            assertThat(machine.succeed("systemctl", "is-system-running")).isEqualTo("running");
            assertThat(machine.run("find", "/etc", "-name", "imex-*.service").output())
                    .as("links to units that are gone")
                    .isEmpty();
        }
    }

    /** With stand-ins for SELinux's tools: the machine has neither these nor a kernel that knows it. */
    @Test
    void thePolicyComesPermissiveIsLeftSoOrNotByAnUpgradeAndGoesWhole() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Path policy = Path.of("/srv/packages")
                    .resolve(Packages.find().policy().getFileName().toString());
            for (String tool : List.of("semodule", "selinuxenabled", "load_policy", "restorecon")) {
                machine.write("/usr/sbin/" + tool, "#!/bin/sh\necho \"" + tool + " $*\" >>/srv/asked\n");
                machine.offline("chmod", "755", "/usr/sbin/" + tool);
            }
            machine.boot();
            String modules = "/usr/share/selinux/packages/targeted/";
            String module = "semodule -n -s targeted -X 200 -i " + modules + "imex-agent.cil";
            String loaded = "load_policy ";
            String labelled = "restorecon -R /usr/bin/imex-agent /usr/lib64/imex-agent /var/lib/imex-agent";

            quietly(machine, "rpm", DEBIAN, "--install", "--nodeps", policy.toString());
            assertThat(asked(machine))
                    .containsExactly(
                            module,
                            "semodule -n -s targeted -X 400 -i " + modules + "permissive_imex_agent_t.cil",
                            "selinuxenabled ",
                            loaded,
                            labelled);
            machine.succeed("test", "-f", modules + "imex-agent.cil");
            machine.succeed("test", "-f", modules + "permissive_imex_agent_t.cil");

            quietly(machine, "rpm", DEBIAN, "--reinstall", "--nodeps", policy.toString());
            assertThat(asked(machine)).containsExactly(module, "selinuxenabled ", loaded, labelled);

            quietly(machine, "rpm", DEBIAN, "--erase", "imex-agent-selinux");
            assertThat(asked(machine))
                    .containsExactly(
                            "semodule -n -s targeted -X 400 -r permissive_imex_agent_t -X 200 -r imex-agent",
                            "selinuxenabled ",
                            loaded,
                            labelled);
        }
    }

    /** What SELinux's tools were called with since the last time. */
    private static List<String> asked(SystemdMachine machine) throws IOException, InterruptedException {
        List<String> lines = machine.succeed("cat", "/srv/asked").lines().toList();
        machine.succeed("rm", "/srv/asked");
        return lines;
    }

    @Test
    void aConfigurationThatNobodyTouchedIsReplaced() throws Exception {
        try (SystemdMachine machine = Machines.bare()) {
            Packages packages = Packages.find().into(machine);
            machine.boot();
            quietly(
                    machine,
                    "rpm",
                    DEBIAN,
                    "--install",
                    packages.base().toString(),
                    packages.previous().toString());

            quietly(machine, "rpm", DEBIAN, "--upgrade", packages.agent().toString());

            assertThat(machine.file("/etc/imex-agent/config.yaml"))
                    .content()
                    .doesNotContain("previous release")
                    .contains("HostManagedIMEX: false");
            verified(machine);
        }
    }

    @Test
    void nativePartsComeFromThePackage() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            machine.boot();
            // Nothing can be unpacked and run where libraries usually do that.
            machine.succeed("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", "/tmp");
            machine.succeed("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", "/root");

            // It ends with 1: the machine's kernel has no channels.
            machine.run("env", "LD_DEBUG=files", "LD_DEBUG_OUTPUT=/srv/loaded", "imex-agent", "probe");

            assertThat(machine.shell("cat /srv/loaded.*").output())
                    .contains("calling init: /usr/lib64/imex-agent/native/libjnidispatch.so")
                    .contains("libnvidia-ml.so")
                    .doesNotContain("calling init: /tmp", "calling init: /root");
        }
    }

    /** A native image has neither classes nor a cache, and its unit denies it to compile any. */
    @Test
    void classesComeFromTheCacheWhereThereAreSome() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            machine.boot();
            boolean executable = Packages.haveNativeImage();
            for (String unit : List.of(HostNode.AGENT, "imex-controller.service")) {
                assertThat(machine.property(unit, "MemoryDenyWriteExecute")).isEqualTo(executable ? "yes" : "no");
            }
            if (executable) {
                assertThat(machine.shell("ls /usr/lib64/imex-agent").output()).isEqualTo("bin\nnative");
                return;
            }

            machine.run("env", "IMEX_AGENT_JVM_OPTIONS=-Xlog:class+load:file=/tmp/classes", "imex-agent", "probe");

            List<String> own = machine.shell("grep ' io.imexagent.' /tmp/classes | grep -v Lambda")
                    .output()
                    .lines()
                    .toList();
            assertThat(own).hasSizeGreaterThan(50);
            assertThat(own.stream().filter(line -> line.contains("shared objects file")))
                    .as("of %d classes", own.size())
                    .hasSizeGreaterThan(own.size() * 6 / 10);

            machine.succeed("env", "IMEX_AGENT_JVM_OPTIONS=-Xlog:class+load:file=/tmp/gate", "imex-agent", "gate");
            List<String> all = machine.shell("cat /tmp/gate").output().lines().toList();
            // The gate's own cache: the agent's would bring eight thousand.
            assertThat(all).hasSizeLessThan(3000);
            assertThat(all.stream().filter(line -> line.contains("shared objects file")))
                    .as("of %d classes of the gate", all.size())
                    .hasSizeGreaterThan(all.size() * 9 / 10);
        }
    }

    /** Runs rpm, which has to succeed without a word: what scriptlets say is a warning. */
    private static void quietly(SystemdMachine machine, String... command) throws IOException, InterruptedException {
        assertThat(machine.succeed(command)).as(String.join(" ", command)).isEmpty();
    }

    /** What lies where one content of the package, executable or Java runtime, has files that the other lacks. */
    private static Set<String> programFiles(SystemdMachine machine) throws IOException, InterruptedException {
        return lines(machine.shell("find /usr/lib64/imex-agent /usr/lib/systemd/system/imex-*.d 2>/dev/null"));
    }

    private static Set<String> packagedFiles(SystemdMachine machine) throws IOException, InterruptedException {
        return lines(machine.shell("rpm " + DEBIAN
                + " -ql imex-agent | grep -E '^/usr/lib(64/imex-agent|/systemd/system/imex-[a-z]+.service.d)'"));
    }

    private static Set<String> lines(Result result) {
        return result.output().lines().collect(Collectors.toCollection(TreeSet::new));
    }

    private static void verified(SystemdMachine machine) throws IOException, InterruptedException {
        Result result = machine.run("rpm", DEBIAN, "--verify", "imex-agent");
        assertThat(result.output()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    /** The files below the folders that packages fill; the account and what rpm notes for itself stay. */
    private static Set<String> files(SystemdMachine machine) throws IOException, InterruptedException {
        return machine.succeed(
                        "sh",
                        "-c",
                        "find /usr /etc -path '/etc/*passwd*' -o -path '/etc/*group*' -o -path '/etc/*shadow*' "
                                + "-o -path '*/rpm/*' -o -path /etc/.pwd.lock -o -print")
                .lines()
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
