package io.imexagent.rdma.probe;

import java.io.IOException;

/** A device leads to no PCI function, as one in software does. */
final class OutsidePciException extends IOException {

    private static final long serialVersionUID = 1;

    OutsidePciException(String message) {
        super(message);
    }
}
