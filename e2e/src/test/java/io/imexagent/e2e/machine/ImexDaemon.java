package io.imexagent.e2e.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A stand-in for the package nvidia-imex: the enabled unit, the configuration, and the control program. */
final class ImexDaemon {

    /** The unit. */
    static final String UNIT = "nvidia-imex.service";

    /** Of the shape of the real one: it forks, and its start, and with it its condition, may take for ever. */
    private static final String SERVICE = """
            [Unit]
            Description=NVIDIA IMEX service
            After=network-online.target
            Requires=network-online.target
            [Service]
            Type=forking
            TimeoutStartSec=infinity
            ExecStart=/usr/bin/nvidia-imex -c /etc/nvidia-imex/config.cfg
            [Install]
            WantedBy=multi-user.target
            """;

    /** What remains of it is one process, which systemd takes for the main one. */
    private static final String DAEMON = """
            #!/bin/sh
            echo "$$ started" >>/var/log/nvidia-imex-starts
            setsid sleep infinity </dev/null >/dev/null 2>&1 &
            """;

    /** Answers what the files beside say, and notes how it was asked. An error ends it with 255, as the real one. */
    private static final String CONTROL = """
            #!/bin/sh
            echo "$*" >>/var/log/nvidia-imex-ctl-calls 2>/dev/null
            case " $* " in
              *" -N "*) cat /srv/imex/domain ;;
              *" -q "*) cat /srv/imex/local ;;
            esac
            ! grep -q 'error code' /srv/imex/local || exit 255
            """;

    private final SystemdMachine machine;

    private ImexDaemon(SystemdMachine machine) {
        this.machine = machine;
    }

    /** Installs and enables it in a machine that is off, as the operator's role would. */
    static ImexDaemon in(SystemdMachine machine) throws IOException {
        ImexDaemon daemon = new ImexDaemon(machine);
        machine.write("/usr/lib/systemd/system/" + UNIT, SERVICE);
        Path wants = Files.createDirectories(machine.file("/etc/systemd/system/multi-user.target.wants"));
        Files.createSymbolicLink(wants.resolve(UNIT), Path.of("/usr/lib/systemd/system/" + UNIT));
        machine.program("/usr/bin/nvidia-imex", DAEMON);
        machine.program("/usr/bin/nvidia-imex-ctl", CONTROL);
        machine.write("/etc/nvidia-imex/config.cfg", """
                IMEX_CMD_ENABLED=1
                SERVER_PORT=50000
                IMEX_NODE_CONFIG_FILE=/etc/nvidia-imex/nodes_config.cfg
                """);
        machine.write("/etc/nvidia-imex/nodes_config.cfg", "127.0.0.1\n");
        daemon.says("READY", "UP");
        return daemon;
    }

    /** Masks its unit in a machine that is off, as an operator does who wants it nowhere. */
    void mask() throws IOException {
        Files.createSymbolicLink(machine.file("/etc/systemd/system/" + UNIT), Path.of("/dev/null"));
    }

    /** Sets what the control program answers: the daemon's state and the domain's. */
    void says(String local, String domain) throws IOException {
        machine.write("/srv/imex/local", local + "\n");
        machine.write("/srv/imex/domain", """
                {"nodes":{"0":{"status":"%s","host":"127.0.0.1","hostName":"tray-07",\
                "connections":{"0":{"host":"127.0.0.1","status":"CONNECTED","changed":true}},\
                "changed":true,"version":"580.95.05"}},"timestamp":"9/4/2026 00:37:39.905","status":"%s"}
                """.formatted(local, domain));
    }

    /** How often the daemon was started since it was installed. */
    long starts() throws IOException {
        Path log = machine.file("/var/log/nvidia-imex-starts");
        return Files.exists(log) ? Files.readAllLines(log).size() : 0;
    }
}
