package io.imexagent.imex.provision;

import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.health.UnitFileState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The plan of provisioning on machines of a listed vendor: its steps, remarks for the operator, and the obstacle if the
 * host cannot be provisioned. Provisioning starts nothing; the gate decides whether the unit starts at boot.
 */
record ProvisionPlan(List<ProvisionStep> steps, List<String> remarks, Optional<String> obstacle) {

    static final String UNIT = "nvidia-imex.service";

    /** The limit for an installation: a slow mirror is not a failure, a hanging one is. */
    private static final Duration INSTALLING = Duration.ofMinutes(30);

    private static final String MASKED = UNIT + " is masked and left alone; to have it enabled: systemctl unmask "
            + UNIT + " (--runtime where the mask ends with the boot), then imex-agent provision";

    /** One change of the host: a clause to follow "would", the text of the result, the command, and its time limit. */
    record ProvisionStep(String clause, String done, List<String> command, Duration limit) {}

    /** Creates a plan of these steps; for a host that is left alone it has no steps, and the reason as a remark. */
    static ProvisionPlan of(List<ProvisionStep> steps, String... remarks) {
        return new ProvisionPlan(steps, List.of(remarks), Optional.empty());
    }

    private static ProvisionPlan blocked(String obstacle) {
        return new ProvisionPlan(List.of(), List.of(), Optional.of(obstacle));
    }

    /** The reason to leave the host alone, if any; {@code lacksGpu} if it has no GPU and one is required. Pure. */
    static Optional<String> exemption(ImexServiceSettings service, Optional<String> vendor, boolean lacksGpu) {
        if (!service.manage()) {
            return Optional.of("imex.service.manage is false: nothing is installed or enabled");
        }
        if (!service.vendors().isEmpty()
                && vendor.filter(service.vendors()::contains).isEmpty()) {
            return Optional.of("this machine is by " + vendor.orElse("an unknown vendor")
                    + ", which imex.service.vendors does not list");
        }
        return lacksGpu
                ? Optional.of("there is no NVIDIA GPU on this host, and provision was called for hosts with one")
                : Optional.empty();
    }

    static ProvisionPlan of(ImexServiceSettings service, HostState host) {
        String name = service.packageName();
        return switch (host.installed()) {
            case MISSING -> host.ostree() ? layer(name) : install(service, host.unit());
            case WAITS_FOR_REBOOT ->
                of(
                        List.of(),
                        "package " + name + " is layered for the next boot; run imex-agent provision again after it");
            case YES -> unit(service, host.unit());
        };
    }

    private static ProvisionPlan install(ImexServiceSettings service, Optional<UnitFileState> unit) {
        String name = service.packageName();
        var install = new ProvisionStep(
                "install package " + name,
                "installed package " + name,
                List.of("dnf", "--assumeyes", "install", name),
                INSTALLING);
        return unit.filter(UnitFileState::isMasked).isPresent()
                ? of(List.of(install), MASKED)
                : of(List.of(install, enable(service)));
    }

    /** The step that enables the unit for the next boot, without a start now. */
    private static ProvisionStep enable(ImexServiceSettings service) {
        return new ProvisionStep(
                "enable " + UNIT,
                "enabled " + UNIT + "; it starts at the next boot" + (service.gate() ? ", where the gate lets it" : ""),
                List.of("systemctl", "enable", UNIT),
                Duration.ofMinutes(1));
    }

    /** The plan for a system image, where a package becomes active at the next boot. */
    private static ProvisionPlan layer(String name) {
        var layer = new ProvisionStep(
                "layer package " + name,
                "layered package " + name + " for the next boot",
                List.of("rpm-ostree", "install", "--idempotent", "--assumeyes", name),
                INSTALLING);
        return of(List.of(layer), "the unit can be enabled after the next boot; run imex-agent provision again then");
    }

    private static ProvisionPlan unit(ImexServiceSettings service, Optional<UnitFileState> unit) {
        return unit.map(file -> unit(service, file))
                .orElseGet(() -> blocked("package " + service.packageName() + " is installed and brings no " + UNIT
                        + "; set imex.service.packageName to the package that does"));
    }

    private static ProvisionPlan unit(ImexServiceSettings service, UnitFileState file) {
        return switch (file) {
            case ENABLED -> of(List.of());
            case DISABLED, ENABLED_RUNTIME, LINKED, LINKED_RUNTIME -> of(List.of(enable(service)));
            case MASKED, MASKED_RUNTIME -> of(List.of(), MASKED);
            case STATIC, INDIRECT, ALIAS, GENERATED, TRANSIENT ->
                of(
                        List.of(),
                        UNIT + " is left alone: " + file.meaning() + "; where no boot starts it: " + file.remedy());
            case BAD, UNKNOWN ->
                blocked("systemctl does not say whether " + UNIT + " is enabled; look at systemctl is-enabled " + UNIT);
        };
    }
}
