/** Access to a cluster: kubeconfig, client certificate, tokens and the plugin that mints them. No HTTP here. */
@NullMarked
package io.imexagent.kubernetes.access;

import org.jspecify.annotations.NullMarked;
