/** Tests of what a service owes systemd. */
@NullMarked
package io.imexagent.systemd;

import org.jspecify.annotations.NullMarked;
