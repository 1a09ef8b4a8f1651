package io.imexagent.imex.health;

/** The states of a whole IMEX domain in NVIDIA's IMEX guide, as {@code nvidia-imex-ctl -N} prints them. */
public enum DomainState {
    UP,
    DEGRADED,
    DOWN
}
