import path from 'node:path';
import type { SystemPrompt } from '../../../agent/prompt/systemPrompt.ts';
import { showHidden } from '../../../base/hidden.ts';
import { fieldAt } from '../../../base/json.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { isToolPart, type StoredMessage } from '../../../base/stream/stored.ts';
import { getToolFacts } from '../../../base/tools/toolFacts.ts';
import { findGuidance, type Guidance, NO_GUIDANCE } from '../../../guidance/guidance.ts';
import { decideRead } from '../../../permissions/decide/decideRead.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
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
  readonly id: string;
  readonly cwd: string;
  readonly parent: string | undefined;
  readonly additionalDirectories: readonly string[];
  configuration(): HostConfiguration;
  policy(): Policy;
}

export function createSessionGuidance(
  services: Pick<HostServices, 'client' | 'compiler' | 'env' | 'recorder' | 'warn'>,
  session: GuidedSession,
): SessionGuidance {
  const { client, env, recorder, warn } = services;
  const compile = () => services.compiler.compile(session.policy());
  let guidance: Promise<Guidance> | undefined;
  let git: Promise<string | undefined> | undefined;
  const loaded = new Map<string, Outcome<string>>();
  const mayRead = () => isTrusted(session.configuration(), client.facts.configure);
  const find = async () => {
    const compiled = compile();
    const found = await findGuidance({
      workspace: listFolders(session),
      home: env['HOME'] || env['USERPROFILE'] || path.dirname(userSettingsFile(env)),
      config: path.dirname(userSettingsFile(env)),
      skillPaths: session.configuration().settings.skillPaths,
      decideRead: (file) => decideRead(file, compiled),
    });
    // Subagents are told the same.
    if (session.parent === undefined) warnOfMissing(found, warn);
    return keepSkills(recorder, session.id, found);
  };
  const read = () => {
    // Without trust nothing is kept, so that everything is read once there is trust.
    if (!mayRead()) return Promise.resolve(NO_GUIDANCE);
    guidance ??= find().catch((fault: unknown) => {
      // The history may be in repair; the next prompt reads again.
      guidance = undefined;
      throw fault;
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
      const known = loaded.get(name) ?? findLoaded(recorder.messages(session.id), name);
      if (known !== undefined) return known;
      const { skills } = (await read()).skills;
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) return failure(noSkill(name, skills));
      const { loadSkill } = await import('../../../guidance/skills.ts');
      const text = loadSkill(skill, (file) => decideRead(file, compile()));
      if (text.ok) loaded.set(name, text);
      return text;
    },
  };
}

/** A session is told of the same skills after a restart: others belong to new sessions. */
async function keepSkills(
  recorder: HostServices['recorder'],
  sessionId: string,
  found: Guidance,
): Promise<Guidance> {
  const { skills, leftOut } = found.skills;
  const stored = recorder.session(sessionId)?.metadata['skills'];
  if (!Array.isArray(stored)) {
    await storeSkills(
      recorder,
      sessionId,
      skills.map(({ name }) => name),
    );
    return found;
  }
  const kept = skills.filter(({ name }) => stored.includes(name));
  return { ...found, skills: { skills: kept, leftOut } };
}

async function storeSkills(
  recorder: HostServices['recorder'],
  sessionId: string,
  names: readonly string[],
): Promise<void> {
  try {
    await recorder.free();
    recorder.setSkills(sessionId, names);
  } catch {
    // Locked or full: the next host looks again, as if the session began with it, and the turn tells of the disk.
  }
}

/** What an earlier host has loaded; a rewind to before it makes the next load the first. */
function findLoaded(messages: readonly StoredMessage[], name: string): Outcome<string> | undefined {
  const visible = messages.filter(({ metadata }) => metadata.hidden_at === undefined);
  for (const part of visible.flatMap(({ parts }) => parts)) {
    if (!isToolPart(part) || part.output?.type !== 'output') continue;
    if (!getToolFacts(part.toolName)?.loadsSkills) continue;
    const content = fieldAt(part.output.data, 'content');
    if (fieldAt(part.input, 'name') === name && typeof content === 'string') {
      return success(content);
    }
  }
  return undefined;
}

/** The user learns why something that they wrote does not count (spec CS-39, spec CS-45). */
function warnOfMissing({ instructions, skills }: Guidance, warn: HostServices['warn']): void {
  const all = [...instructions.leftOut, ...skills.leftOut];
  for (const { file, why } of all.slice(0, MOST_WARNINGS)) warn(showHidden(`${file}: ${why}`));
  const more = all.length - MOST_WARNINGS;
  if (more > 0) {
    warn(`${more} more instruction files and skills: "Show What the Agent Was Told" lists them.`);
  }
}

const MOST_WARNINGS = 20;

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
