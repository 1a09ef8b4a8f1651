package io.imexagent.imex.provision;

import io.imexagent.imex.gate.ImexServiceSettings;
import java.util.List;
import java.util.Optional;

/**
 * Decides what a host lacks: the package and its unit's enablement, on machines of a listed vendor with any NVIDIA GPU.
 * The unit is never started; whether it starts at boot is the gate's.
 */
final class ProvisionPlanner {

    private static final String MASKED = Step.UNIT + " is masked and left alone; to have it enabled: systemctl unmask "
            + Step.UNIT + ", then imex-agent provision";

    private final ImexServiceSettings service;

    ProvisionPlanner(ImexServiceSettings service) {
        this.service = service;
    }

    Plan plan(HostState host) {
        if (!service.manage()) {
            return Plan.nothing("imex.service.manage is false: nothing is installed or enabled");
        }
        if (!host.gpu()) {
            return Plan.nothing("there is no NVIDIA GPU on this host");
        }
        if (!service.vendors().isEmpty()
                && host.vendor().filter(service.vendors()::contains).isEmpty()) {
            return Plan.nothing("this machine is by " + host.vendor().orElse("an unknown vendor")
                    + ", which imex.service.vendors does not list");
        }
        return switch (host.installed()) {
            case MISSING -> install(host);
            case WAITS_FOR_REBOOT ->
                Plan.nothing("package " + service.packageName()
                        + " is layered for the next boot; run imex-agent provision again after it");
            case YES -> unit(host.unit());
        };
    }

    private Plan install(HostState host) {
        String name = service.packageName();
        if (host.ostree()) {
            String remark = "the unit can be enabled after the next boot; run imex-agent provision again then";
            return new Plan(List.of(Step.layer(name)), List.of(remark), Optional.empty());
        }
        return host.unit() == UnitState.MASKED
                ? new Plan(List.of(Step.install(name)), List.of(MASKED), Optional.empty())
                : new Plan(List.of(Step.install(name), Step.enable()), List.of(), Optional.empty());
    }

    private Plan unit(UnitState unit) {
        return switch (unit) {
            case ENABLED -> new Plan(List.of(), List.of(), Optional.empty());
            case DISABLED -> new Plan(List.of(Step.enable()), List.of(), Optional.empty());
            case MASKED -> Plan.nothing(MASKED);
            case ABSENT ->
                Plan.blocked("package " + service.packageName() + " is installed and brings no " + Step.UNIT
                        + "; set imex.service.packageName to the package that does");
            case UNKNOWN ->
                Plan.blocked("systemctl does not tell whether " + Step.UNIT
                        + " is enabled; look at systemctl is-enabled " + Step.UNIT);
        };
    }
}
