import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** One case of the adversarial corpus, as far as `gatehouse explain` carries it. */
export interface CorpusCase {
  readonly id: string;
  readonly area: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly rules?: readonly Record<string, unknown>[];
  readonly expect: string;
  readonly also_ok?: readonly string[];
  readonly capabilities?: unknown;
  readonly headless?: boolean;
  readonly platform?: readonly string[];
  readonly setup?: Record<string, unknown>;
  readonly limit_ms?: number;
}

/** The cases of an area. */
export function loadCases(area: string): readonly CorpusCase[] {
  const file = new URL('../../fixtures/adversarial.json', import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly CorpusCase[] };
  return cases.filter((each) => each.area === area);
}

/** A workspace with an outside beside it, made for one case. */
export interface Stage {
  readonly workspace: string;
  readonly outside: string;
  fill(text: string): string;
  dispose(): void;
}

export function makeStage(setup: Record<string, unknown> = {}): Stage {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'corpus-')));
  const workspace = path.join(base, 'workspace');
  const outside = path.join(base, 'outside');
  mkdirSync(path.join(workspace, 'src'), { recursive: true });
  mkdirSync(outside);
  const fill = (text: string) =>
    text
      .replaceAll('{workspace}', workspace)
      .replaceAll('{outside}', outside)
      .replaceAll('{project-rules-file}', '.vscode/settings.json');
  const links = setup['symlinks'];
  if (typeof links === 'object' && links !== null) {
    for (const [name, target] of Object.entries(links))
      symlinkSync(fill(String(target)), path.join(workspace, name));
  }
  return {
    workspace,
    outside,
    fill,
    dispose: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The line of `gatehouse explain` for a case. Patterns keep `{workspace}`: it is a variable there. */
export function toLine(each: CorpusCase, stage: Stage): string {
  const { command_generator: generator, ...input } = each.input;
  const made = generator as { prefix: string; repeat: string; times: number } | undefined;
  const filled = JSON.parse(stage.fill(JSON.stringify(input)));
  return JSON.stringify({
    id: each.id,
    tool: each.tool,
    input: made === undefined ? filled : { command: made.prefix + made.repeat.repeat(made.times) },
    rules: (each.rules ?? []).map(({ scope, ...rule }) => ({ ...rule, source: scope })),
    workspace: stage.workspace,
    ...(each.capabilities !== undefined && { capabilities: each.capabilities }),
    ...(each.headless !== undefined && { headless: each.headless }),
    ...(each.platform !== undefined && { platform: each.platform[0] }),
  });
}
