package io.imexagent.core.ledger;

/**
 * The kernel's ID of the running boot ({@code /proc/sys/kernel/random/boot_id}): another one means that the node
 * rebooted, and that every prepared claim and every file on tmpfs is void.
 *
 * @param value the ID, not empty
 */
public record BootId(String value) {

    /** Takes any text but a blank one. */
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
