package io.imexagent.imex.provision;

import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.probe.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Brings a host, with its files below the root, to the state that nvidia-imex needs: the package installed, its unit
 * enabled and not started. A second run changes nothing.
 *
 * @param onlyWithGpu whether a host without an NVIDIA GPU is left alone; otherwise it is provisioned too, since an
 *     image may be built on it for hosts that have one
 * @param lines receives each line for the operator as it is produced
 */
public record Provisioning(
        ImexServiceSettings service, Path root, boolean onlyWithGpu, Programs programs, Consumer<String> lines) {

    /** Creates provisioning with the host's own programs. */
    public Provisioning(ImexServiceSettings service, Path root, boolean onlyWithGpu, Consumer<String> lines) {
        this(service, root, onlyWithGpu, new HostPrograms(), lines);
    }

    public enum ProvisionResult {
        /** The host is already provisioned, or must be left alone. */
        NOTHING_TO_DO,
        /** Something was changed, and the host is provisioned now. */
        CHANGED,
        WOULD_CHANGE,
        /** The host is not provisioned. */
        FAILED
    }

    /** Reports the changes that are due, and changes nothing. */
    public ProvisionResult check() throws IOException, InterruptedException {
        ProvisionPlan plan = plan();
        for (ProvisionPlan.ProvisionStep step : plan.steps()) {
            lines.accept("would " + step.clause() + ": " + String.join(" ", step.command()));
        }
        return end(plan, plan.steps().isEmpty() ? ProvisionResult.NOTHING_TO_DO : ProvisionResult.WOULD_CHANGE);
    }

    /** Makes the changes that are due. Reads the host after each step: a package may enable its own unit. */
    public ProvisionResult apply() throws IOException, InterruptedException {
        Set<ProvisionPlan.ProvisionStep> done = new HashSet<>();
        ProvisionPlan plan = plan();
        while (!plan.steps().isEmpty()) {
            ProvisionPlan.ProvisionStep step = plan.steps().getFirst();
            Optional<String> failure = done.add(step)
                    ? run(step)
                    : Optional.of(String.join(" ", step.command())
                            + " ended well, and nothing has changed; look at what it prints");
            if (failure.isPresent()) {
                lines.accept("failed: " + failure.get());
                return ProvisionResult.FAILED;
            }
            lines.accept("changed: " + step.done());
            plan = plan();
        }
        return end(plan, done.isEmpty() ? ProvisionResult.NOTHING_TO_DO : ProvisionResult.CHANGED);
    }

    private ProvisionPlan plan() throws IOException, InterruptedException {
        var machine = new Machine(root);
        Optional<String> exemption = ProvisionPlan.exemption(
                service, machine.vendor(), onlyWithGpu && machine.gpus().isEmpty());
        // A host that is left alone need not have rpm or systemd.
        return exemption.isPresent()
                ? ProvisionPlan.of(List.of(), exemption.get())
                : ProvisionPlan.of(service, HostState.read(root, programs, service.packageName()));
    }

    private ProvisionResult end(ProvisionPlan plan, ProvisionResult outcome) {
        plan.remarks().forEach(lines);
        plan.obstacle().ifPresent(obstacle -> lines.accept("failed: " + obstacle));
        if (plan.remarks().isEmpty() && plan.obstacle().isEmpty() && outcome == ProvisionResult.NOTHING_TO_DO) {
            lines.accept("nothing to do: package " + service.packageName() + " is installed, " + ProvisionPlan.UNIT
                    + " is enabled");
        }
        return plan.obstacle().isPresent() ? ProvisionResult.FAILED : outcome;
    }

    private Optional<String> run(ProvisionPlan.ProvisionStep step) throws InterruptedException {
        String command = String.join(" ", step.command());
        return switch (programs.run(Program.changing(step.command(), step.limit()))) {
            case ProgramOutcome.Ended ended when ended.code() == 0 -> Optional.empty();
            case ProgramOutcome.Ended ended -> {
                String output = (ended.out() + ended.err()).stripTrailing();
                yield Optional.of(command + " ended with " + ended.code() + ":\n" + output + remedy(output));
            }
            case ProgramOutcome.TimedOut late ->
                Optional.of(late.stillRunning()
                        .map(process -> command + " got SIGTERM after "
                                + late.deadline().toMinutes() + " min and still runs as process " + process
                                + "; let it end before the next try")
                        .orElseGet(() -> command + " was ended after "
                                + late.deadline().toMinutes() + " min; check that the package repositories answer"));
            case ProgramOutcome.Flooded flooded ->
                Optional.of(command + " printed more than " + flooded.limit() + " bytes");
            case ProgramOutcome.Capped(int hanging) ->
                Optional.of(command + " was not run: " + hanging + " such processes hang and cannot be killed");
            case ProgramOutcome.NotStarted(String reason) ->
                Optional.of("cannot run " + step.command().getFirst() + ": " + reason + "; install "
                        + service.packageName() + " in the way of this distribution");
        };
    }

    /** The remedy for failures of rpm-ostree that a later try may resolve, recognised by its daemon's messages. */
    private static String remedy(String output) {
        if (output.contains("ransaction in progress")) {
            return "\nanother change of this host is under way; run imex-agent provision again once rpm-ostree status says"
                    + " idle";
        }
        return output.contains("is already provided by")
                ? "\nthe image of the next boot has the package; run imex-agent provision again after that boot"
                : "";
    }
}
