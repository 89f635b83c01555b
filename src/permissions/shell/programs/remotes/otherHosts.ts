import type { ShellWord } from '../../acts.ts';
import type { Program } from '../tables/program.ts';

/** Hosts of this machine. */
const LOOPBACK =
  /^(?:[^@/]*@)?(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::\d+)?$/i;

/** The host that a program contacts anyway. */
const OWN: Readonly<Record<string, string>> = {
  gh: 'github.com',
  glab: 'gitlab.com',
  hub: 'github.com',
};

const URLS = /([a-z][a-z\d+.-]*):\/{2}([^\s/?#'",;|]+)/gi;
/** Some programs take one slash, none, or the other ones for two: `https:other.example`. */
const LOOSE_URLS = /(?:^|[=,;|])\s*(https?|wss?|ftp):[\\/]*([^\s/\\?#'",;|]+)/gi;
/** An address that programs read in different ways: `http://localhost#@other.example`. */
const AMBIGUOUS = /:\/\/[^/]*[\\#?][^/]*@/;
/** `git@host:path`, but not `image@sha256:…` and `name@npm:other`. */
const SCP = /^(?:git@([\w.-]+)|[\w.+-]+@([\w-]+(?:\.[\w-]+)+)):/;
/** A repository of a host that isn't told by a scheme: `github:user/name`. */
const SHORTHAND = /^(?:github|gitlab|bitbucket|sourcehut|gist):[\w.-]+\//;
/** A text that mentions an address isn't one, unless it starts with it. */
const MENTIONS = /^\s*(?!(?:--?[\w.@:/-]+=\s*)?[a-z][a-z\d+.-]*:[\\/])[^\s]*\s/i;

/**
 * Whether a word names a server, of a program that isn't for whatever server it is given: the registry
 * of `npm publish --registry=https://x`. An allow must contain it up to the end of the host.
 */
export function namesOtherHost(name: string, { value, literal }: ShellWord): boolean {
  if (!literal || MENTIONS.test(value)) return false;
  if (SHORTHAND.test(value) || AMBIGUOUS.test(value)) return true;
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  const isOther = (host: string) => host !== own && !LOOPBACK.test(host);
  const urls = [...value.matchAll(URLS), ...value.matchAll(LOOSE_URLS)];
  if (urls.some(([, scheme = '', host = '']) => !/^fileb?$/i.test(scheme) && isOther(host)))
    return true;
  const [, git, host = git] = SCP.exec(value) ?? [];
  return host !== undefined && isOther(host);
}

/** Whether the address, as a program is given it, is one of this machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(/^(?:[a-z][a-z\d+.-]*:\/\/)?([^/?#]*)/i.exec(address)?.[1] ?? '');
}

/** Programs that start or move images of containers, which the words name with their registry. */
const IMAGES: ReadonlySet<string> = new Set('docker podman nerdctl buildah crane finch'.split(' '));
const REGISTRY = /^(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)|(?!localhost:)[\w-]+:\d+\/)/;
const TRANSFERS: ReadonlySet<string> = new Set('push pull login logout join copy'.split(' '));
/** `docker buildx build -o type=image,name=other.example/x,push=true`. */
const EXPORTS = /(?:^|[=,])(?:type=registry|push=true)(?:,|$)/;
const DOCKER_HUB = /^(?:(?:index|registry-1)\.)?docker\.io(?:\/|$)/;

/**
 * The indices of images and logins with a registry of their own: `docker push other.example/x`. It isn't
 * told by a scheme, and only counts where something is sent or fetched.
 */
export function findRegistries(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
): readonly number[] {
  if (!IMAGES.has(name)) return [];
  const verb = operands.slice(0, 2).find((at) => TRANSFERS.has(words[at]?.value ?? ''));
  const pushes = words.some(({ value }) => /^--push(?:=|$)/.test(value));
  const exports = [...words.keys()].filter((at) => EXPORTS.test(words[at]?.value ?? ''));
  if (verb === undefined && !pushes) return exports;
  return [...words.keys()].filter((at) => {
    const value = (words[at]?.value ?? '').replace(/^(?:--tag=|-t)/, '');
    return at > (verb ?? 0) && REGISTRY.test(value) && !DOCKER_HUB.test(value);
  });
}

/** Whether the program contacts the hosts that its words name, but isn't for any host. */
export function mayNameOthers(program: Program | undefined): boolean {
  if (program === undefined) return true;
  if (program.inert === true || program.hosts === 'all' || program.hosts === 'first') return false;
  return program.hosts !== undefined || program.operands === undefined;
}

const SENDS =
  /^(?:create|comment|edit|upload|delete|set|run|close|reopen|merge|review|transfer|lock|pin|enable|disable)$/;
const REPOSITORY = /^(?:-R|--repo)(?:=?(.+))?$/;

/**
 * The indices of the words with a repository that `gh` sends something to, or that lies on another host:
 * `gh issue create -R other/x`.
 */
export function findRepositories(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
): readonly number[] {
  if (!/^(?:gh|glab)$/.test(name)) return [];
  const sends = operands.slice(0, 2).some((at) => SENDS.test(words[at]?.value ?? ''));
  return [...words.keys()].flatMap((at) => {
    const found = REPOSITORY.exec(words[at]?.value ?? '');
    if (found === null) return [];
    const index = found[1] === undefined ? at + 1 : at;
    const repository = found[1] ?? words[index]?.value ?? '';
    const [host = '', ...rest] = repository.split('/');
    return sends || (rest.length > 1 && host !== OWN[name]) ? [index] : [];
  });
}

/** Programs that build from a folder or from a repository, which may be given without a scheme. */
const BUILDERS: ReadonlySet<string> = new Set('kustomize kubectl'.split(' '));

/** `kustomize build github.com/x/y`, `kubectl apply -k github.com/x/y`. */
export function findBases(name: string, words: readonly ShellWord[]): readonly number[] {
  if (!BUILDERS.has(name)) return [];
  return [...words.keys()].filter((at) =>
    /^(?:-k=?|--kustomize=)?(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|example)\//.test(
      words[at]?.value ?? '',
    ),
  );
}
