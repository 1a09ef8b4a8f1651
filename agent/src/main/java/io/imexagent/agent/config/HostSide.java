package io.imexagent.agent.config;

import io.imexagent.imex.gate.ImexServiceSettings;

/**
 * The part of a configuration that is about the host alone: what the gate goes by. It can be had from a configuration
 * whose other parts have faults.
 *
 * @param host where the host's files stand
 * @param nvml how NVML is read
 * @param service on which hosts nvidia-imex is installed and may start
 */
public record HostSide(AgentConfig.Host host, AgentConfig.Nvml nvml, ImexServiceSettings service) {}
