package io.imexagent.kubernetes.control;

import java.util.Optional;

/**
 * A Lease.
 *
 * @param ref which one
 * @param content what it says
 */
public record LeaseObject(ObjectRef ref, LeaseContent content) {

    /** The holder; empty where nobody holds it. */
    public Optional<String> holder() {
        return content.holder();
    }
}
