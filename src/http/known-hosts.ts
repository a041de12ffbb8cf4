/** The servers that a platform's own addresses may lead to. */
export interface KnownHosts {
  readonly hosts: ReadonlySet<string>;
  /** The server that stands for the platform, for all of its hosts. */
  readonly ownOrigin: string | undefined;
}

/** @param apiUrl server to use instead of the platform, which then also stands for these hosts */
export const knownHosts = (hosts: ReadonlySet<string>, apiUrl: string | undefined): KnownHosts => ({
  hosts,
  ownOrigin: apiUrl === undefined ? undefined : new URL(apiUrl).origin,
});

/** True for an address at one of the hosts, over HTTPS and without a user, or at the server that stands for them. */
export const isAtKnownHost = (address: string, { hosts, ownOrigin }: KnownHosts): boolean => {
  const url = URL.parse(address);
  if (!url || url.username || url.password) return false;
  return url.origin === ownOrigin || (url.protocol === 'https:' && hosts.has(url.host));
};
