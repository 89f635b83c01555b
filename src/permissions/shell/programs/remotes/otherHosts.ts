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
/** `git@host:path`, but not `image@sha256:…` and `name@npm:other`. */
const SCP = /^(?:git@([\w.-]+)|[\w.+-]+@([\w-]+(?:\.[\w-]+)+)):(?![\d.]+$)/;

/**
 * Whether a word names a server, of a program that isn't for whatever server it is given: the registry
 * of `npm publish --registry=https://x`. An allow must contain it up to the end of the host.
 */
export function namesOtherHost(name: string, word: ShellWord): boolean {
  const { value, literal } = word;
  // A text that mentions an address isn't one.
  if (!literal || /\s/.test(value)) return false;
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  const isOther = (host: string) => host !== own && !LOOPBACK.test(host);
  const urls = [...value.matchAll(URLS)];
  if (urls.some(([, scheme = '', host = '']) => !/^fileb?$/i.test(scheme) && isOther(host)))
    return true;
  if (SHORTHAND.test(value)) return true;
  const [, git, host = git] = SCP.exec(value) ?? [];
  return host !== undefined && isOther(host);
}

/** A repository of a host that isn't told by a scheme: `github:user/name`. */
const SHORTHAND = /^(?:github|gitlab|bitbucket|sourcehut|gist):[\w.-]+\//;

/** Whether the address, as a program is given it, is one of this machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(/^(?:[a-z][a-z\d+.-]*:\/\/)?([^/?#]*)/i.exec(address)?.[1] ?? '');
}

/** Programs that start or move images of containers, which the words name with their registry. */
const IMAGES: ReadonlySet<string> = new Set('docker podman nerdctl buildah crane finch'.split(' '));
const REGISTRY = /^(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)|(?!localhost:)[\w-]+:\d+\/)/;
const TRANSFERS: ReadonlySet<string> = new Set('push pull login logout join copy'.split(' '));
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
  if (verb === undefined && !pushes) return [];
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
