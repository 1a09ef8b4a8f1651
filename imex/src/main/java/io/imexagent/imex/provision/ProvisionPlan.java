package io.imexagent.imex.provision;

import io.imexagent.imex.gate.ImexServiceSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What provisioning would do on machines of a listed vendor with any NVIDIA GPU: its steps, remarks for the operator, and
 * why the host cannot become what it should. The unit is never started; whether it starts at boot is the gate's.
 */
record ProvisionPlan(List<Step> steps, List<String> remarks, Optional<String> obstacle) {

    /** The unit of nvidia-imex. */
    static final String UNIT = "nvidia-imex.service";

    /** A mirror that is slow is no fault; one that hangs is. */
    private static final Duration INSTALLING = Duration.ofMinutes(30);

    private static final String MASKED = UNIT + " is masked and left alone; to have it enabled: systemctl unmask "
            + UNIT + ", then imex-agent provision";

    /** Lets the unit start at boot, and not now. */
    private static final Step ENABLE = new Step(
            "enable " + UNIT,
            "enabled " + UNIT + "; it starts at the next boot, where the gate lets it",
            List.of("systemctl", "enable", UNIT),
            Duration.ofMinutes(1));

    /** One change of the host: as a clause after "would", what it has done, its command, and how long that may take. */
    record Step(String clause, String done, List<String> command, Duration limit) {}

    private static ProvisionPlan of(List<Step> steps, String... remarks) {
        return new ProvisionPlan(steps, List.of(remarks), Optional.empty());
    }

    private static ProvisionPlan blocked(String obstacle) {
        return new ProvisionPlan(List.of(), List.of(), Optional.of(obstacle));
    }

    /** The plan for a host as it is. Pure. */
    static ProvisionPlan of(ImexServiceSettings service, HostState host) {
        if (!service.manage()) {
            return of(List.of(), "imex.service.manage is false: nothing is installed or enabled");
        }
        if (!host.gpu()) {
            return of(List.of(), "there is no NVIDIA GPU on this host");
        }
        if (!service.vendors().isEmpty()
                && host.vendor().filter(service.vendors()::contains).isEmpty()) {
            return of(
                    List.of(),
                    "this machine is by " + host.vendor().orElse("an unknown vendor")
                            + ", which imex.service.vendors does not list");
        }
        String name = service.packageName();
        return switch (host.installed()) {
            case MISSING -> host.ostree() ? layer(name) : install(name, host.unit());
            case WAITS_FOR_REBOOT ->
                of(
                        List.of(),
                        "package " + name + " is layered for the next boot; run imex-agent provision again after it");
            case YES -> unit(name, host.unit());
        };
    }

    private static ProvisionPlan install(String name, HostState.UnitEnablement unit) {
        var install = new Step(
                "install package " + name,
                "installed package " + name,
                List.of("dnf", "--assumeyes", "install", name),
                INSTALLING);
        return unit == HostState.UnitEnablement.MASKED ? of(List.of(install), MASKED) : of(List.of(install, ENABLE));
    }

    /** On an image a package waits for the next boot. */
    private static ProvisionPlan layer(String name) {
        var layer = new Step(
                "layer package " + name,
                "layered package " + name + " for the next boot",
                List.of("rpm-ostree", "install", "--idempotent", "--assumeyes", name),
                INSTALLING);
        return of(List.of(layer), "the unit can be enabled after the next boot; run imex-agent provision again then");
    }

    private static ProvisionPlan unit(String name, HostState.UnitEnablement unit) {
        return switch (unit) {
            case ENABLED -> of(List.of());
            case DISABLED -> of(List.of(ENABLE));
            case MASKED -> of(List.of(), MASKED);
            case ABSENT ->
                blocked("package " + name + " is installed and brings no " + UNIT
                        + "; set imex.service.packageName to the package that does");
            case UNKNOWN ->
                blocked("systemctl does not say whether " + UNIT + " is enabled; look at systemctl is-enabled " + UNIT);
        };
    }
}
