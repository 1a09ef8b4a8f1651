/**
 * A double of the kubelet: registers plugins, prepares and unprepares claims, watches device health. What it does is
 * read from the kubelet of Kubernetes 1.36.
 */
@NullMarked
package io.imexagent.testing.kubelet;

import org.jspecify.annotations.NullMarked;
