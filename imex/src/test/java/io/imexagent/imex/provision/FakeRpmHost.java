package io.imexagent.imex.provision;

import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A host's rpm, dnf, rpm-ostree and systemctl, which do to each other what the real ones do. They fail where the real ones
 * do, with their words and exit codes: those of rpm-ostree stand in its daemon ({@code rpmostreed-sysroot.cxx},
 * {@code rpmostreed-transaction-types.cxx}, {@code treefile.rs}, {@code rpmostree-core.cxx}); its program puts
 * {@code error: } before them and ends with 1.
 */
final class FakeRpmHost implements Programs {

    private static final String NO_UNIT =
            "Failed to get unit file state for nvidia-imex.service: No such file or directory\n";

    private static final String RPM_OSTREE_INSTALL = "rpm-ostree install ";

    private final List<String> run = new ArrayList<>();
    private final Map<String, ProgramOutcome> answers = new HashMap<>();
    private boolean installed;
    private boolean layered;
    private boolean bringsUnit = true;
    private String unit = "disabled";
    private boolean ostree;
    private boolean network = true;
    private Optional<String> transaction = Optional.empty();
    private boolean layeredByAnother;
    private boolean inNextImage;

    FakeRpmHost installed(String unitState) {
        installed = true;
        unit = unitState;
        return this;
    }

    FakeRpmHost masked() {
        unit = "masked";
        return this;
    }

    /** The package's preset enables its unit. */
    FakeRpmHost enabledByPreset() {
        unit = "enabled";
        return this;
    }

    FakeRpmHost withoutUnit() {
        bringsUnit = false;
        return this;
    }

    /** A host that was booted from an image. */
    FakeRpmHost ofAnImage() {
        ostree = true;
        return this;
    }

    /** Without a way to the repositories. */
    FakeRpmHost withoutNetwork() {
        network = false;
        return this;
    }

    /** With a way to the repositories again, and nothing else under way. */
    FakeRpmHost idleAndConnected() {
        network = true;
        transaction = Optional.empty();
        return this;
    }

    /** Another client of rpm-ostree is at work, on what its title says. */
    FakeRpmHost busyWith(String title) {
        transaction = Optional.of(title);
        return this;
    }

    /** Another client layers the package right after the next look at the status. */
    FakeRpmHost layeredByAnother() {
        layeredByAnother = true;
        return this;
    }

    /** The image of the next boot, an upgrade, has the package itself. */
    FakeRpmHost inNextImage() {
        inNextImage = true;
        return this;
    }

    /** Whatever begins so ends so, and does nothing. */
    FakeRpmHost answering(String beginning, ProgramOutcome ended) {
        answers.put(beginning, ended);
        return this;
    }

    /** The next boot, into what was layered. */
    void reboot() {
        installed |= layered || inNextImage;
        layered = false;
        inNextImage = false;
    }

    /** What was run so far, without questions. */
    List<String> changes() {
        return run.stream()
                .filter(command -> !command.startsWith("rpm ")
                        && !command.contains(" is-enabled ")
                        && !command.contains(" status "))
                .toList();
    }

    List<String> run() {
        return List.copyOf(run);
    }

    @Override
    public ProgramOutcome run(Program program) {
        String command = String.join(" ", program.words());
        run.add(command);
        return answers.entrySet().stream()
                .filter(answer -> command.startsWith(answer.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseGet(() -> answer(command));
    }

    private ProgramOutcome answer(String command) {
        return switch (command) {
            case "rpm --query nvidia-imex-580.95.05" -> query("package nvidia-imex-580.95.05 is not installed");
            case "rpm --query nvidia-imex" -> new ProgramOutcome.Ended(1, "", "the package is called otherwise\n");
            case "rpm --query --whatprovides nvidia-imex" -> query("no package provides nvidia-imex");
            case "rpm --query --whatprovides nvidia-imex-580.95.05" ->
                new ProgramOutcome.Ended(1, "", "no package provides nvidia-imex-580.95.05\n");
            case "systemctl is-enabled nvidia-imex.service" -> isEnabled();
            case "dnf --assumeyes install nvidia-imex", "dnf --assumeyes install nvidia-imex-580.95.05" -> dnf();
            case "rpm-ostree status --json" -> status();
            case "systemctl enable nvidia-imex.service" -> {
                unit = "enabled";
                yield new ProgramOutcome.Ended(0, "Created symlink\n", "");
            }
            default ->
                command.startsWith(RPM_OSTREE_INSTALL)
                        ? layer(List.of(
                                command.substring(RPM_OSTREE_INSTALL.length()).split(" ")))
                        : new ProgramOutcome.Ended(127, "", "unknown: " + command);
        };
    }

    private ProgramOutcome dnf() {
        if (!network) {
            return new ProgramOutcome.Ended(
                    1,
                    "",
                    "Error: Failed to download metadata for repo 'baseos': Cannot download repomd.xml: Cannot download"
                            + " repodata/repomd.xml: All mirrors were tried\n");
        }
        installed = true;
        return new ProgramOutcome.Ended(0, "Complete!\n", "");
    }

    private ProgramOutcome status() {
        String booted = "{\"booted\":true,\"requested-packages\":[],\"requested-local-packages\":[]}";
        String next = layered || inNextImage
                ? "{\"booted\":false,\"requested-packages\":[" + (layered ? "\"nvidia-imex\"" : "")
                        + "],\"requested-local-packages\":[]},"
                : "";
        String busy = transaction
                .map(title -> "[\"package-change\",\"" + title + "\",\":1.42\"]")
                .orElse("null");
        layered |= layeredByAnother;
        layeredByAnother = false;
        return new ProgramOutcome.Ended(
                0, "{\"deployments\":[" + next + booted + "],\"transaction\":" + busy + "}", "");
    }

    /** In the order in which the daemon finds out. */
    private ProgramOutcome layer(List<String> arguments) {
        if (!ostree) {
            return failed("This system was not booted via libostree.\nCurrently, most rpm-ostree commands only work on"
                    + " ostree-based host systems.\n");
        }
        if (transaction.isPresent()) {
            return failed("Transaction in progress: " + transaction.get()
                    + "\n You can cancel the current transaction with `rpm-ostree cancel`");
        }
        if (inNextImage) {
            return failed("\"nvidia-imex\" is already provided by: nvidia-imex-580.95.05-1.aarch64. Use"
                    + " --allow-inactive to explicitly require it.");
        }
        if (layered) {
            return arguments.contains("--idempotent")
                    ? new ProgramOutcome.Ended(0, "No change.\n", "")
                    : failed("Package/capability 'nvidia-imex' is already requested");
        }
        if (!network) {
            return failed(
                    "Updating rpm-md repo 'baseos': cannot update repo 'baseos': Cannot download repomd.xml: Cannot"
                            + " download repodata/repomd.xml: All mirrors were tried; Last error: Curl error (6): Couldn't resolve"
                            + " host name for https://mirror.example/repodata/repomd.xml [Could not resolve host:"
                            + " mirror.example]");
        }
        if (!arguments.getLast().equals("nvidia-imex")) {
            return failed("Packages not found: " + arguments.getLast());
        }
        layered = true;
        return new ProgramOutcome.Ended(
                0, "Changes queued for next boot. Run \"systemctl reboot\" to start a reboot\n", "");
    }

    private static ProgramOutcome failed(String words) {
        return new ProgramOutcome.Ended(1, "", "error: " + words + "\n");
    }

    private ProgramOutcome query(String otherwise) {
        return installed
                ? new ProgramOutcome.Ended(0, "nvidia-imex-580.95.05-1.x86_64\n", "")
                : new ProgramOutcome.Ended(1, "", otherwise + "\n");
    }

    private ProgramOutcome isEnabled() {
        boolean there = unit.equals("masked") || (installed && bringsUnit);
        if (!there) {
            return new ProgramOutcome.Ended(1, "", NO_UNIT);
        }
        return new ProgramOutcome.Ended(unit.equals("enabled") ? 0 : 1, unit + "\n", "");
    }
}
