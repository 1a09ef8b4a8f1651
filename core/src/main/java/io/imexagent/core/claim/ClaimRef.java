package io.imexagent.core.claim;

/**
 * A claim as the kubelet names it in a request.
 *
 * @param name namespace and name
 * @param uid the version of that name that is meant: a claim that is deleted and made again has another one
 */
public record ClaimRef(ClaimName name, ClaimUid uid) {

    @Override
    public String toString() {
        return name + " (" + uid + ")";
    }
}
