package io.imexagent.dra.claim;

/** How messages name what claims hold: a device with its article, devices, and the pods that have them. */
public record ClaimTerms(String device, String devices, String workloads) {}
