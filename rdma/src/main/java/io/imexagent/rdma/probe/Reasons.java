package io.imexagent.rdma.probe;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** Why a file could not be read, as a clause. */
final class Reasons {

    private Reasons() {}

    static String of(String path, IOException failure) {
        return failure instanceof NoSuchFileException
                ? "/" + path + " is missing"
                : String.valueOf(failure.getMessage());
    }
}
