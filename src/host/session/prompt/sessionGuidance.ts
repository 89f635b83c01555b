import path from 'node:path';
import type { SystemPrompt } from '../../../agent/prompt/systemPrompt.ts';
import { failure, type Outcome } from '../../../base/outcome.ts';
import { findGuidance, type Guidance, NO_GUIDANCE } from '../../../guidance/guidance.ts';
import { createReadGit } from '../../../runtime/commands/readGit.ts';
import { type HostConfiguration, isTrusted } from '../../config/configuration.ts';
import { userSettingsFile } from '../../config/dataFolder.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { describeGit } from './gitState.ts';

/** What a session tells its agent besides the agent's own prompt. Read once (spec CS-37). */
export interface SessionGuidance {
  get(): Promise<Guidance>;
  /** The repository when the session began; a line that changed with each turn would defeat the prompt cache. */
  git(): Promise<string | undefined>;
  /** The skill's text; the first load counts for the whole session (spec CS-42). */
  loadSkill(name: string): Promise<Outcome<string>>;
  /** What the last turn was told; absent before the first. */
  prompt?: SystemPrompt;
}

interface GuidedSession {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  configuration(): HostConfiguration;
}

export function createSessionGuidance(
  { client, env }: Pick<HostServices, 'client' | 'env'>,
  session: GuidedSession,
): SessionGuidance {
  let guidance: Promise<Guidance> | undefined;
  let git: Promise<string | undefined> | undefined;
  const loaded = new Map<string, Outcome<string>>();
  const mayRead = () => isTrusted(session.configuration(), client.facts.configure);
  const read = () => {
    // Without trust nothing is kept, so that everything is read once there is trust.
    if (!mayRead()) return Promise.resolve(NO_GUIDANCE);
    guidance ??= findGuidance({
      workspace: listFolders(session),
      home: env['HOME'] || env['USERPROFILE'] || path.dirname(userSettingsFile(env)),
      config: path.dirname(userSettingsFile(env)),
    });
    return guidance;
  };
  return {
    get: read,
    async git() {
      if (!mayRead()) return undefined;
      git ??= describeGit(session.cwd, createReadGit(listFolders(session), env));
      return git;
    },
    async loadSkill(name) {
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const { skills } = (await read()).skills;
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) return failure(noSkill(name, skills));
      const { loadSkill } = await import('../../../guidance/skills.ts');
      const text = loadSkill(skill);
      if (text.ok) loaded.set(name, text);
      return text;
    },
  };
}

/** The session's root first. */
function listFolders(session: GuidedSession): string[] {
  const { workspace } = session.configuration();
  return [...new Set([session.cwd, ...(workspace?.roots ?? session.additionalDirectories)])];
}

function noSkill(name: string, skills: readonly { readonly name: string }[]): string {
  if (skills.length === 0)
    return `No skill named "${name}". No skills are available in this session.`;
  return `No skill named "${name}". Available: ${skills.map((each) => each.name).join(', ')}.`;
}
