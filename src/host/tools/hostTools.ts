import { cloneSource } from '../../tools/clone/cloneSource.ts';
import type { Tool } from '../../tools/contract.ts';
import { createLanguageSource } from '../../tools/language/languageSource.ts';
import { lockedSource } from '../../tools/locked/lockedSource.ts';
import { overviewSource } from '../../tools/overview/overviewSource.ts';
import { patchSource } from '../../tools/patch/patchSource.ts';
import { planSource } from '../../tools/plan/planSource.ts';
import type { SourceSession, ToolSource } from '../../tools/toolSource.ts';

/**
 * The sources of the host's own tools, in the order in which the model sees them. `language`: whether the
 * client has language features.
 */
export function createHostSources(language: boolean): readonly ToolSource[] {
  return [
    lockedSource,
    patchSource,
    planSource,
    overviewSource,
    cloneSource,
    createLanguageSource(language),
  ];
}

/** Every tool that the host itself has, those of one agent or one client too. */
export async function listHostTools(): Promise<readonly Tool[]> {
  const offers = await Promise.all(
    createHostSources(true).map((source) => source.tools(WITHOUT_SESSION)),
  );
  return offers.flatMap(({ tools }) => tools.map(({ tool }) => tool));
}

/** The session of the one agent that has all of these tools. */
const WITHOUT_SESSION: SourceSession = {
  id: 'explain',
  agent: 'plan',
  folders: [],
  trusted: false,
  searchHosts: [],
  timeoutMs: 0,
  schemaMs: 0,
  confirmExternalActions: true,
};
