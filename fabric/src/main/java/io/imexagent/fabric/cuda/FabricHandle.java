package io.imexagent.fabric.cuda;

import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * A fabric handle ({@code CUmemFabricHandle}): 64 opaque bytes with which another process imports memory, here as hex
 * digits.
 */
public record FabricHandle(String hex) {

    /** {@code CU_IPC_HANDLE_SIZE} of cuda.h. */
    public static final int BYTES = 64;

    private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{" + 2 * BYTES + "}");

    /** Throws {@link IllegalArgumentException} for any other text. */
    public FabricHandle {
        if (!DIGITS.matcher(hex).matches()) {
            throw new IllegalArgumentException("a fabric handle has " + 2 * BYTES + " lower-case hex digits");
        }
    }

    public static FabricHandle of(byte[] bytes) {
        return new FabricHandle(HexFormat.of().formatHex(bytes));
    }

    public byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }
}
