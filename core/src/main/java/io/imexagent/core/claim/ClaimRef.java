package io.imexagent.core.claim;

/** A claim as the kubelet names it in a request. A claim that is deleted and made again has another UID. */
public record ClaimRef(ClaimName name, ClaimUid uid) {}
