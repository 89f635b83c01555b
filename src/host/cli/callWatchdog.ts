import type { AgentDefinition } from '../../agentDefinitions/definition.ts';
import type { Settings } from '../config/settings.ts';
import { createSessionWatchdog, type SessionWatchdog } from '../session/policy/watchdog.ts';

/** The watchdog of a call without a session: the built-in checks and the user's own program. */
export function createCallWatchdog(
  manifest: AgentDefinition,
  { watchdog, limits, passedVariables }: Settings,
  cwd: string,
  env: NodeJS.ProcessEnv,
): SessionWatchdog {
  const watch = createSessionWatchdog({
    ...{ cwd, env },
    command: () => watchdog.command,
    passes: () => passedVariables,
    limitMs: () => limits.watchdogMs,
    secrets: () => [],
  });
  return (call, signal) => watch({ ...call, manifest }, signal);
}
