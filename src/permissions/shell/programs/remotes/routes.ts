import type { Act, ShellWord } from '../../acts.ts';
import { toPaths } from '../../wordPaths.ts';

/** Options of servers and bundlers whose value is a part of addresses. */
const ADDRESS_PART =
  /^--(?:base(?:-?href|-?path|Path|Href)?|public-(?:url|path)|publicPath|route|url-path|root-path|path-prefix)(=|$)/;
/** Options whose value is a pattern for names of tests. */
const TEST_NAMES = /^--(?:grep|testNamePattern|test-name-pattern)(=|$)/;
const TEST_LETTERS = /^-[gkt](=|$)/;
const RUNNERS: ReadonlySet<string> = new Set('jest vitest mocha playwright pytest ava'.split(' '));

const BUILDS = /^(?:dotnet|msbuild)$/;
const SWITCH = /^(\/[a-z]+)(?::|(?<=^\/(?:m|r|restore|nologo|bl|graph))$)/i;

/** Programs that serve files, or run a script that does. */
const SERVERS: ReadonlySet<string> = new Set(
  'vite vitepress astro ng webpack rollup parcel next nuxt npm pnpm yarn bun turbo nx uvicorn gunicorn hypercorn'.split(
    ' ',
  ),
);
const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl|oc)$/;

/** Services of AWS whose resources have names that start with a slash. */
const AWS = /^(?:logs|ssm|iam|secretsmanager|route53|apigateway\w*)$/;

/**
 * The words that begin like a path outside and name no file: `gh api /user`, `docker cp web:/app .`,
 * `vite --base=/app/`.
 */
function findRoutes(name: string, words: readonly ShellWord[]): readonly string[] {
  const values = words.map(({ value }) => value);
  const verb = values.find((value, index) => index > 0 && !value.startsWith('-')) ?? '';
  return values.flatMap((value, index) => {
    const before = values[index - 1] ?? '';
    if (isTextOption(name, value) || isLabel(name, value)) return toPaths({ value, literal: true });
    const behind = isTextOption(name, before) && !before.includes('=');
    const own =
      (/^(?:gh|glab)$/.test(name) && verb === 'api' && before === 'api') ||
      (name === 'aws' && AWS.test(values[1] ?? '') && /^\/[\w./-]+$/.test(value));
    if (behind || own) return [value];
    // A switch: `dotnet build /p:Configuration=Release`.
    const [written, key = ''] = (BUILDS.test(name) && SWITCH.exec(value)) || [];
    if (written !== undefined) return [value, key];
    // A path in a container.
    const copies = CONTAINERS.test(name) && values.includes('cp');
    const inside = copies ? /^[\w-][\w.-]*(?:\/[\w.-]+)?:(\/[\s\S]*)$/.exec(value)?.[1] : undefined;
    return inside === undefined ? [] : [inside];
  });
}

function isTextOption(name: string, word: string): boolean {
  return (
    (SERVERS.has(name) && ADDRESS_PART.test(word)) ||
    TEST_NAMES.test(word) ||
    (RUNNERS.has(name) && TEST_LETTERS.test(word)) ||
    (name === 'go' && /^--?(?:run|skip|bench)(?:=|$)/.test(word)) ||
    (name === 'kubectl' && /^--raw(?:=|$)/.test(word))
  );
}

/** `bazel build //src:all`. */
function isLabel(name: string, word: string): boolean {
  return name === 'bazel' && word.startsWith('//');
}

/** Marks the files that are none among the acts from `start` on. */
export function passRoutes(
  name: string,
  words: readonly ShellWord[],
  acts: Act[],
  start: number,
): void {
  const routes = new Set(findRoutes(name, words));
  if (routes.size === 0) return;
  for (let index = start; index < acts.length; index += 1) {
    const act = acts[index];
    if (act?.kind === 'file' && act.role === 'named' && routes.has(act.target))
      acts[index] = { ...act, passed: true };
  }
}
