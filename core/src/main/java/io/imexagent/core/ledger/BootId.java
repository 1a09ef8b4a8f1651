package io.imexagent.core.ledger;

/**
 * The kernel's ID of the running boot ({@code /proc/sys/kernel/random/boot_id}), not blank. Another one means that the
 * node rebooted: every prepared claim and every file on tmpfs is void.
 */
public record BootId(String value) {

    public BootId {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a boot ID is not blank");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
