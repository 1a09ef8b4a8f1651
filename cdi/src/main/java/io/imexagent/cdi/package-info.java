/** Container Device Interface: the spec files that tell a container runtime which device nodes a claim grants. */
@NullMarked
package io.imexagent.cdi;

import org.jspecify.annotations.NullMarked;
