/** What tells the part of a host name that one owner registered, by the list of public suffixes. */
type FindSite = (host: string) => string | null;

let findSite: FindSite | undefined;

/** Loads the list, which only requests about hosts need. */
export async function loadPublicSuffixes(): Promise<void> {
  if (findSite !== undefined) return;
  const { getDomain } = await import('tldts');
  // Under a suffix such as `github.io`, each name has an owner of its own, too.
  findSite = (host) => getDomain(host, { allowPrivateDomains: true });
}

/**
 * The name above the host, if one owner has all that is below it: `example.co.uk` for `www.example.co.uk`, none
 * for `example.co.uk` and `me.github.io`. None as long as the list is not loaded.
 */
export function findParentSite(host: string): string | undefined {
  const site = findSite?.(host) ?? undefined;
  const parent = host.slice(host.indexOf('.') + 1);
  const isOwned = site !== undefined && (parent === site || parent.endsWith(`.${site}`));
  return isOwned ? parent : undefined;
}
