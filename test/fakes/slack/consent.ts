import type { IncomingMessage, ServerResponse } from 'node:http';
import { codes, type Code } from './methods/apps.ts';
import type { User, Workspace, World } from './state.ts';

/** The page that asks for consent; nothing on it can be clicked but through `consent`. */
export const serveConsent = (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const query = new URL(request.url ?? '/', 'http://fake').searchParams;
  const isKnown = query.get('client_id') === world.app.clientId;
  response.writeHead(isKnown ? 200 : 400, { 'content-type': 'text/html' });
  response.end(isKnown ? '<h1>Dragoman is requesting permission</h1>' : 'invalid client_id');
};

/** Clicks "Allow" or "Cancel" as an administrator; returns the address that the browser goes to. */
export const consent = (
  world: World,
  address: string,
  workspace: Workspace,
  user: User,
  isAllowed = true,
  organisation?: Code['organisation'],
): string => {
  const query = new URL(address).searchParams;
  if (query.get('client_id') !== world.app.clientId) throw new Error('invalid client_id');
  const redirectUrl = query.get('redirect_uri') ?? undefined;
  const [target] = redirectUrl === undefined ? world.app.redirectUrls : [redirectUrl];
  if (target === undefined || ![...world.app.redirectUrls].some((each) => target.startsWith(each)))
    throw new Error('redirect_uri did not match any configured URIs');
  const back = new URL(target);
  const state = query.get('state');
  if (state !== null) back.searchParams.set('state', state);
  if (!isAllowed) {
    back.searchParams.set('error', 'access_denied');
    return back.href;
  }
  const code = world.clock.id('X');
  codes(world).set(code, {
    workspace,
    organisation,
    user,
    scopes: (query.get('scope') ?? '').split(',').filter((scope) => scope !== ''),
    redirectUrl,
    createdAt: world.clock.now(),
  });
  back.searchParams.set('code', code);
  return back.href;
};
