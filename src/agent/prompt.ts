import { createHash } from 'node:crypto';
import type { ToolCard } from './turn.ts';

/** The five sections of the system prompt (spec CS-77). Empty sections are omitted. */
export interface PromptParts {
  /** The prompt from the agent's definition. */
  readonly agent: string;
  /** Project instructions, already read and accepted by the user. */
  readonly instructions?: string;
  /** One line per skill. */
  readonly skills?: string;
  readonly environment: Environment;
  readonly tools: readonly ToolCard[];
}

export interface Environment {
  readonly platform: NodeJS.Platform;
  /** The session's working directory, absolute (spec CS-5). */
  readonly root: string;
  readonly additionalRoots?: readonly string[];
  /** One line, such as `branch main, 2 files changed`; absent outside a repository. */
  readonly git?: string;
  /**
   * Milliseconds since the epoch. The prompt contains only the date, so that prompt caches stay
   * valid.
   */
  readonly now: number;
  readonly model: string;
}

/**
 * Builds the prompt in its fixed order, and the SHA-256 that messages store as
 * `system_prompt_digest`.
 */
export function systemPrompt(parts: PromptParts): {
  readonly text: string;
  readonly digest: string;
} {
  const text = [
    parts.agent,
    parts.instructions ?? '',
    parts.skills ?? '',
    environmentSection(parts.environment),
    toolSection(parts.tools),
  ]
    .map((section) => section.trim())
    .filter((section) => section !== '')
    .join('\n\n');
  return { text, digest: createHash('sha256').update(text).digest('hex') };
}

function environmentSection(environment: Environment): string {
  const lines = [
    `Platform: ${environment.platform}`,
    `Workspace root: ${environment.root}`,
    ...(environment.additionalRoots ?? []).map((root) => `Also open: ${root}`),
    ...(environment.git === undefined ? [] : [`Git: ${environment.git}`]),
    `Date: ${new Date(environment.now).toISOString().slice(0, 10)}`,
    `Model: ${environment.model}`,
  ];
  return `# Environment\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function toolSection(tools: readonly ToolCard[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map((tool) => `- ${tool.id}: ${firstSentence(tool.description)}`);
  return `# Tools\n${lines.join('\n')}`;
}

/** The tool's schema carries the full description; the prompt only lists the tools. */
function firstSentence(description: string): string {
  const line = description.trim().split('\n', 1)[0] ?? '';
  const end = line.search(/\.(\s|$)/);
  return end < 0 ? line : line.slice(0, end + 1);
}
