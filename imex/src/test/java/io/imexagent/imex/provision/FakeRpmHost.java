package io.imexagent.imex.provision;

import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A host's rpm, dnf, rpm-ostree and systemctl, which do to each other what the real ones do. */
final class FakeRpmHost implements Programs {

    private static final String NO_UNIT =
            "Failed to get unit file state for nvidia-imex.service: No such file or directory\n";

    private final List<String> run = new ArrayList<>();
    private final Map<String, ProgramOutcome> answers = new HashMap<>();
    private boolean installed;
    private boolean layered;
    private boolean bringsUnit = true;
    private String unit = "disabled";

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

    /** Whatever begins so ends so, and does nothing. */
    FakeRpmHost answering(String beginning, ProgramOutcome ended) {
        answers.put(beginning, ended);
        return this;
    }

    /** The next boot, into what was layered. */
    void reboot() {
        installed |= layered;
        layered = false;
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
            case "dnf --assumeyes install nvidia-imex", "dnf --assumeyes install nvidia-imex-580.95.05" -> {
                installed = true;
                yield new ProgramOutcome.Ended(0, "Complete!\n", "");
            }
            case "rpm-ostree install --idempotent --assumeyes nvidia-imex" -> {
                layered = true;
                yield new ProgramOutcome.Ended(0, "Run \"systemctl reboot\" to start a reboot\n", "");
            }
            case "rpm-ostree status --json" ->
                new ProgramOutcome.Ended(
                        0,
                        layered
                                ? "{\"deployments\":[{\"booted\":false,\"requested-packages\":[\"nvidia-imex\"]},"
                                        + "{\"booted\":true,\"requested-packages\":[]}]}"
                                : "{\"deployments\":[{\"booted\":true,\"requested-packages\":[]}]}",
                        "");
            case "systemctl enable nvidia-imex.service" -> {
                unit = "enabled";
                yield new ProgramOutcome.Ended(0, "Created symlink\n", "");
            }
            default -> new ProgramOutcome.Ended(127, "", "unknown: " + command);
        };
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
