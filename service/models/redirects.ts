import { AppError } from '../../src/errors.ts';

/** Most redirects that are followed; hosts of models take one or two. */
const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The error of a server that leads where a download may not go. */
const misled = (address: URL, where: string): AppError =>
  new AppError('bad-reply', `${address.href}: the server leads ${where}`);

/** Resolves where a redirect leads. Throws `AppError` where that has less encryption, or is no address of the web. */
const targetOf = (address: URL, { headers }: Response): URL => {
  const target = URL.parse(headers.get('location') ?? '', address.href);
  if (target?.protocol === 'https:') return target;
  if (target?.protocol !== 'http:') throw misled(address, 'to no address');
  if (address.protocol === 'https:') throw misled(address, 'to an address without encryption');
  return target;
};

/**
 * Fetches what an address leads to. Each redirect is looked at before it is followed: from HTTPS none
 * leads to HTTP. Rejects with an `AppError`, or as `fetch` does.
 */
export const fetchFollowing = async (
  from: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  send = fetch,
): Promise<Response> => {
  let address = new URL(from);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await send(address, { ...options, redirect: 'manual' });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    address = targetOf(address, response);
  }
  throw misled(address, 'from one address to the next without end');
};
