package io.imexagent.imex.provision;

import io.imexagent.imex.gate.ImexServiceSettings;
import java.util.List;
import java.util.Optional;

/**
 * Decides what a host lacks: the package and its unit's enablement, on machines of a listed vendor with any NVIDIA GPU.
 * The unit is never started; whether it starts at boot is the gate's.
 */
final class ProvisionPlanner {

    private static final String MASKED =
            ProvisionStep.UNIT + " is masked and left alone; to have it enabled: systemctl unmask " + ProvisionStep.UNIT
                    + ", then imex-agent provision";

    private final ImexServiceSettings service;

    ProvisionPlanner(ImexServiceSettings service) {
        this.service = service;
    }

    ProvisionPlan plan(HostState host) {
        if (!service.manage()) {
            return ProvisionPlan.nothing("imex.service.manage is false: nothing is installed or enabled");
        }
        if (!host.gpu()) {
            return ProvisionPlan.nothing("there is no NVIDIA GPU on this host");
        }
        if (!service.vendors().isEmpty()
                && host.vendor().filter(service.vendors()::contains).isEmpty()) {
            return ProvisionPlan.nothing("this machine is by " + host.vendor().orElse("an unknown vendor")
                    + ", which imex.service.vendors does not list");
        }
        return switch (host.installed()) {
            case MISSING -> install(host);
            case WAITS_FOR_REBOOT ->
                ProvisionPlan.nothing("package " + service.packageName()
                        + " is layered for the next boot; run imex-agent provision again after it");
            case YES -> unit(host.unit());
        };
    }

    private ProvisionPlan install(HostState host) {
        String name = service.packageName();
        if (host.ostree()) {
            String remark = "the unit can be enabled after the next boot; run imex-agent provision again then";
            return new ProvisionPlan(List.of(ProvisionStep.layer(name)), List.of(remark), Optional.empty());
        }
        return host.unit() == UnitEnablement.MASKED
                ? new ProvisionPlan(List.of(ProvisionStep.install(name)), List.of(MASKED), Optional.empty())
                : new ProvisionPlan(
                        List.of(ProvisionStep.install(name), ProvisionStep.enable()), List.of(), Optional.empty());
    }

    private ProvisionPlan unit(UnitEnablement unit) {
        return switch (unit) {
            case ENABLED -> new ProvisionPlan(List.of(), List.of(), Optional.empty());
            case DISABLED -> new ProvisionPlan(List.of(ProvisionStep.enable()), List.of(), Optional.empty());
            case MASKED -> ProvisionPlan.nothing(MASKED);
            case ABSENT ->
                ProvisionPlan.blocked("package " + service.packageName() + " is installed and brings no "
                        + ProvisionStep.UNIT + "; set imex.service.packageName to the package that does");
            case UNKNOWN ->
                ProvisionPlan.blocked("systemctl does not tell whether " + ProvisionStep.UNIT
                        + " is enabled; look at systemctl is-enabled " + ProvisionStep.UNIT);
        };
    }
}
