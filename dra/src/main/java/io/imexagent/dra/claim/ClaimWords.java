package io.imexagent.dra.claim;

/**
 * How messages name what the claims of a driver hold.
 *
 * @param device one of the devices, with its article
 * @param devices the devices, in plural
 * @param workloads the pods that have them
 */
public record ClaimWords(String device, String devices, String workloads) {}
