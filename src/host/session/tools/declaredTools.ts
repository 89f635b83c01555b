import { readFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../../base/faults.ts';
import { type LoadedTools, loadDeclaredTools, type NotOffered } from '../../../declared/load.ts';
import { openAuditLog } from '../../../declared/run/auditLog.ts';
import { redactionOf } from '../../../declared/run/redact.ts';
import {
  chainSecrets,
  environmentSecrets,
  type SecretSource,
} from '../../../declared/run/secrets.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import { createRegistry, type Registry } from '../../../tools/registry.ts';
import { fetchSecret } from '../../client/secrets.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import { userSettingsFile } from '../../config/dataFolder.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { searchHosts } from './callSession.ts';

/** The tools of one session as they are now: read again for every turn, so that an edit counts at once. */
export interface SessionTools {
  /** Without the tools that the user switched off. */
  readonly registry: Registry;
  readonly all: Registry;
  readonly declared: LoadedTools;
}

/** Whose tools they are: a session, or the open folders. */
export interface ToolPlace {
  configuration(): HostConfiguration;
  policy(): Policy;
}

type Part = Pick<HostServices, 'acceptances' | 'client' | 'data' | 'env'>;

/** The host's own tools and what the workspace's accepted manifests declare. */
export function sessionTools(services: Part, place: ToolPlace): SessionTools {
  const { settings, workspace } = place.configuration();
  const { acceptances, client, data, env } = services;
  const audit = openAuditLog(path.join(data.state, 'audit'), redactionOf(env), () => new Date());
  const loaded = loadDeclaredTools({
    roots: place.policy().folders.workspace,
    trusted: workspace?.trusted ?? true,
    accepted: acceptances,
    agent: 'gatehouse',
    override: (bundle) => readOverride(env, bundle),
    options: { env, secrets: secretsOf(client, env), audit, ...settings.declaredTools },
  });
  const registry = createRegistry([], { searchHosts: searchHosts(settings.webSearch) });
  const refused: NotOffered[] = [];
  const tools = loaded.tools.filter(({ tool, file, pointer }) => {
    const registered = registry.register(tool);
    if (!registered.ok) refused.push({ id: tool.id, file, pointer, why: registered.error });
    return registered.ok;
  });
  return {
    registry: without(registry, settings.declaredTools.disabled),
    all: registry,
    declared: { ...loaded, tools, notOffered: [...loaded.notOffered, ...refused] },
  };
}

/** The registry with some ids hidden: the model does not see them, and a call finds no such tool. */
function without(registry: Registry, hidden: readonly string[]): Registry {
  if (hidden.length === 0) return registry;
  return {
    ...registry,
    get: (id) => (hidden.includes(id) ? undefined : registry.get(id)),
    list: () => registry.list().filter(({ id }) => !hidden.includes(id)),
  };
}

/** The editor's secret storage first, then the environment (D-23, D-41). */
function secretsOf(client: HostServices['client'], env: NodeJS.ProcessEnv): SecretSource {
  const environment = environmentSecrets(env);
  if (!client.facts.secret) return environment;
  const storage: SecretSource = {
    get: async (id) => (id.startsWith('runloop/') ? fetchSecret(client, id) : undefined),
  };
  return chainSecrets(storage, environment);
}

/** The user's own narrowing of a bundle's capabilities (D-38): `caps/overrides/<bundle>.toml` beside their settings. */
function readOverride(env: NodeJS.ProcessEnv, bundle: string): string | undefined {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(bundle)) return undefined;
  const folder = path.dirname(userSettingsFile(env));
  try {
    return readFileSync(path.join(folder, 'caps', 'overrides', `${bundle}.toml`), 'utf8');
  } catch (error) {
    // A file that is there and cannot be read must not count as no narrowing.
    return codeOf(error) === 'ENOENT' ? undefined : 'unreadable';
  }
}
