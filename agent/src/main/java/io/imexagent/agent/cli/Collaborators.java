package io.imexagent.agent.cli;

/**
 * What the commands are done with. Each is asked only by its own command.
 *
 * @param version the agent's version
 * @param runner runs the agent
 * @param probe reads the host
 * @param checks checks the preconditions
 * @param claims reads the checkpoint
 * @param rdma reads the RDMA side of the host
 * @param health looks at nvidia-imex
 * @param controller runs the controller
 * @param domains reads the cluster's ComputeDomains
 * @param gate decides whether nvidia-imex should run here
 * @param provision installs nvidia-imex and enables its unit
 */
public record Collaborators(
        String version,
        Runner runner,
        ProbeSource probe,
        CheckSource checks,
        ClaimsSource claims,
        RdmaSource rdma,
        HealthSource health,
        Runner controller,
        DomainsSource domains,
        GateSource gate,
        ProvisionSource provision) {}
