package io.imexagent.core.ledger;

/** The running boot ({@code /proc/sys/kernel/random/boot_id}), not blank. A new boot voids every prepared claim. */
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
