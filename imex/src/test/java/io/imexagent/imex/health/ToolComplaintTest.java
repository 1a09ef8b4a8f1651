package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.health.QueryResult.Failure;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ToolComplaintTest {

    private static final String HELP = """
            Usage: nvidia-imex-ctl [-i <IP> <PORT>|-u <unix domain socket path>|-c <config path>] <-n|-N|-q>
            Where:
                   -i <IP> <PORT>: address and port of the control service
                                   of one node
                   -t <timeout>: seconds to wait for an answer

            Options:
              --help  this page
            """;

    @Test
    void theCauseStandsBeforeThePageOfHelp() throws IOException {
        // What the script of the field prints, which is all that counts here.
        String script = ReportSpecimens.file("usage-text-nvidia-imex-ctl");
        String said = "Unable to open configuration file at /etc/nvidia-imex/config.cfg\n"
                + script.substring(script.indexOf("Usage:"), script.indexOf("\nX\n"));

        ToolComplaint complaint = ToolComplaint.of(said, "");

        assertThat(complaint.cause()).contains("Unable to open configuration file at /etc/nvidia-imex/config.cfg");
        assertThat(complaint.failure()).isEqualTo(Failure.NO_CONFIGURATION);
    }

    @Test
    void theCauseMayStandBelowTheHelpOrOnTheOtherOutput() {
        assertThat(ToolComplaint.of(HELP + "bad option -j\n", "").cause()).contains("bad option -j");
        assertThat(ToolComplaint.of("bad option -j\n" + HELP, "").cause()).contains("bad option -j");
        assertThat(ToolComplaint.of(HELP, "bad option -j\n").cause()).contains("bad option -j");
        assertThat(ToolComplaint.of("bad option -j\n", HELP).cause()).contains("bad option -j");
        assertThat(ToolComplaint.of(HELP, "nvidia-imex-ctl: invalid option -- 'j'\nTry 'nvidia-imex-ctl --help'.\n")
                        .cause())
                .contains("nvidia-imex-ctl: invalid option -- 'j'");
    }

    /** Other programs' pages of help, and causes that look like one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    Usage: ctl [-q];Optional arguments:;  -q  asks;Error: unknown option -N       | Error: unknown option -N
                    Usage: ctl;Available options:;  -q  asks                                      |
                    Usage;Query the IMEX daemon.;Options:;  -q  asks                              |
                    -c: missing argument;Usage: ctl [-c FILE]                                     | -c: missing argument
                    nvidia-imex-ctl version 580.95.05;Failed to allocate memory;Usage: ctl        | Failed to allocate memory
                    [INFO] asking;Segmentation violation                                          | [INFO] asking
                    """)
    void aHeadingIsNoCauseAndAnOptionMayBeOne(String said, String cause) {
        String text = said.replace(';', '\n');

        assertThat(ToolComplaint.of(text, "").cause()).isEqualTo(Optional.ofNullable(cause));
        assertThat(ToolComplaint.of("", text).cause()).isEqualTo(Optional.ofNullable(cause));
    }

    @Test
    void helpAloneAndSilenceAreNoCause() {
        assertThat(ToolComplaint.of(HELP, "").cause()).isEmpty();
        assertThat(ToolComplaint.of("", "\n \n").cause()).isEqualTo(Optional.empty());
        assertThat(ToolComplaint.of(HELP, "").failure()).isEqualTo(Failure.ERROR);
    }

    @Test
    void aLineThatIsUnderstoodIsTheCauseWhateverStandsBeforeIt() {
        ToolComplaint complaint = ToolComplaint.of(
                "[Nov 26 2026 14:00:00] [INFO] asking\nQuery Status returned error code: 14\n", "warning\n");

        assertThat(complaint.cause()).contains("Query Status returned error code: 14");
        assertThat(complaint.failure()).isEqualTo(Failure.UNREACHABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Query Status returned error code: 14",
                "Connection to nvidia-imex on 127.0.0.1:50005 failed, error code: 14",
                "failed (Error code 14)",
                "error code:14, giving up",
            })
    void theErrorOfADaemonThatIsDownIsKnown(String line) {
        assertThat(ToolComplaint.of("", line).failure()).isEqualTo(Failure.UNREACHABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Query Status returned error code: 140",
                "Query Status returned error code: 1",
                "Query Status returned error code: 214",
                "Query Status returned error code: 0x14",
                "Query Status returned error code: -14",
                "Query Status returned error code: 4",
                "14 errors",
            })
    void otherErrorCodesAreOtherErrors(String line) {
        assertThat(ToolComplaint.of(line, "").failure()).isEqualTo(Failure.ERROR);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    Failed to read node configuration file                                | NO_NODES_FILE
                    Unable to open nodes_config.cfg                                       | NO_NODES_FILE
                    /etc/nvidia-imex/nodes_config.cfg: No such file or directory          | NO_NODES_FILE
                    Unable to open configuration file at /srv/rack7/nodes_config.cfg      | NO_NODES_FILE
                    Failed to load config file                                            | NO_CONFIGURATION
                    /etc/nvidia-imex/config.cfg: Permission denied                        | NO_CONFIGURATION
                    could not find /etc/nvidia-imex/config.cfg                            | NO_CONFIGURATION
                    Failed to connect to the configured port                              | ERROR
                    Unable to open configuration file at /etc/nvidia-imex/config.cfg      | NO_CONFIGURATION
                    Error opening '/etc/nvidia-imex/config.cfg'                           | NO_CONFIGURATION
                    No such file or directory: /etc/nvidia-imex/config.cfg                | NO_CONFIGURATION
                    config file /srv/imex.cfg not found                                   | NO_CONFIGURATION
                    The configuration file is missing                                     | NO_CONFIGURATION
                    Failed to read from config file                                       | NO_CONFIGURATION
                    Failed to parse node config file, error code: 2                       | NO_NODES_FILE
                    Error loading TLS certificate named in configuration                  | ERROR
                    Error loading TLS certificate named in configuration file             | ERROR
                    Cannot read /etc/nvidia-imex/key.pem that config.cfg names            | ERROR
                    config.cfg: IMEX_CMD_PORT is missing                                  | ERROR
                    Reconfiguration failed: peer not found                                | ERROR
                    Error code: 14: failed to read from config channel                    | UNREACHABLE
                    Failed to read config file of the daemon, error code: 14              | UNREACHABLE
                    Failed to connect to nvidia-imex; check its configuration             | ERROR
                    """)
    void missingFilesAreToldApart(String line, Failure failure) {
        assertThat(ToolComplaint.of(line, "").failure()).isEqualTo(failure);
        assertThat(new ToolComplaint(List.of(line)).cause()).contains(line);
    }
}
