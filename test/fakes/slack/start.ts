import { createServer } from 'node:http';
import { createWaiters } from '../wait.ts';
import { listen } from '../serve.ts';
import { createClock, type Clock } from './clock.ts';
import { consent } from './consent.ts';
import { createEvents, type EventDriver } from './delivery/events.ts';
import { createHttp, signed, type SignedRequest } from './delivery/http.ts';
import { createSockets, type SocketDriver } from './delivery/socket.ts';
import type { Attempt } from './delivery/transport.ts';
import { createInteractionDriver, type InteractionDriver } from './driver/interact.ts';
import type { Tools } from './driver/tools.ts';
import type { FakeUser } from './driver/user.ts';
import { FakeOrganisation } from './driver/organisation.ts';
import { FakeWorkspace } from './driver/workspace.ts';
import type { FailOptions } from '../fault-plan.ts';
import type { Effect } from './faults.ts';
import type { Json } from './json.ts';
import { DOWNLOAD } from './file-host.ts';
import { createLimits } from './limits.ts';
import { METHODS } from './methods/index.ts';
import { addOrganisation } from './organisations.ts';
import { addWorkspace, createApp, type NewWorkspace } from './population.ts';
import { createRouter } from './router.ts';
import type { App, File, Ping, RequestRecord, World } from './state.ts';

export interface SlackFakeOptions {
  /** Windows of limits and waits for retries are so many times shorter. Default 1. */
  readonly speed?: number;
  /** `off`: no rate limits at all, for benches. */
  readonly limits?: 'on' | 'off';
  /** Time to acknowledge. Default 3,000, as Slack's; never scaled. */
  readonly ackMs?: number;
  /** True: tokens last twelve hours and are refreshed. */
  readonly rotatesTokens?: boolean;
}

/** Our own Slack on loopback: Web API, files, Socket Mode, HTTP deliveries, OAuth, and its people. */
export interface SlackFake extends InteractionDriver, AsyncDisposable {
  /** For SLACK_API_URL: ends in `/api/`. */
  readonly url: string;
  /** Where people consent to an installation. */
  readonly authorizeUrl: string;
  readonly app: App;
  readonly clock: Clock;
  readonly events: EventDriver;
  readonly sockets: SocketDriver;
  workspace(options?: NewWorkspace): FakeWorkspace;
  /** Clicks "Allow" or "Cancel" on the page that an installation begins with. */
  consent(address: string, workspace: FakeWorkspace, user: FakeUser, isAllowed?: boolean): string;
  /** An organisation without workspaces, and without the app. */
  organisation(name?: string): FakeOrganisation;
  /** Clicks "Allow" for a whole organisation, with the workspaces that get the app. */
  consentForAll(
    address: string,
    organisation: FakeOrganisation,
    workspaces: readonly [FakeWorkspace, ...FakeWorkspace[]],
    user: FakeUser,
  ): string;
  /** Signs a request as Slack does, for requests that are altered afterwards. */
  sign(attempt: Attempt, timestampS?: number): SignedRequest;
  /** Everybody whom a message of the app notified. */
  readonly pings: Ping[];
  /** Everybody's files, those that were deleted too. */
  readonly files: ReadonlyMap<string, File>;
  /** The requests to the Web API so far, the last 20,000 at least. */
  readonly requests: readonly RequestRecord[];
  /** Spoils the next calls of a method, or of `GET files-pri`. */
  fail(method: string, effect: Effect, options?: FailOptions<Json>): void;
  /**
   * Has Slack not show the next uploads although it said that they are complete, as it does now and then
   * (reported at paradigmxyz/centaur, pull request 311).
   */
  loseShares(count: number): void;
  /** Ends every `fail`. */
  heal(): void;
  /** Resolves as soon as `holds` is true, asked after every change of anything. */
  until(holds: () => boolean, timeoutMs?: number): Promise<void>;
}

export const startSlackFake = async (options: SlackFakeOptions = {}): Promise<SlackFake> => {
  const { speed = 1, ackMs = 3_000 } = options;
  const clock = createClock();
  const waiters = createWaiters();
  const app = createApp(clock, 'Dragoman');
  app.rotatesTokens = options.rotatesTokens ?? false;
  const world: World = {
    clock,
    limits: createLimits(clock, speed, options.limits === 'off'),
    app,
    origin: '',
    workspaces: new Map(),
    organisations: new Map(),
    channels: new Map(),
    files: new Map(),
    views: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    pings: [],
    requests: [],
    lostShares: 0,
    event: (about, event) => events.emit(about, event),
    changed: () => waiters.changed(),
  };
  const sockets = createSockets(world, ackMs);
  const http = createHttp(world, ackMs);
  const transport = () => (app.socketMode ? sockets : http);
  const events = createEvents(world, transport, speed);
  const router = createRouter(world, METHODS);
  const server = createServer((request, response) => {
    void router.handle(request, response).then(() => waiters.changed());
  });
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  const listening = await listen(server);
  world.origin = listening.url;
  const tools: Tools = { world, waiters, transport };
  return {
    ...createInteractionDriver(tools),
    url: `${world.origin}/api/`,
    authorizeUrl: `${world.origin}/oauth/v2/authorize`,
    app,
    clock,
    events,
    sockets,
    workspace: (given) => new FakeWorkspace(tools, addWorkspace(world, given)),
    consent: (address, workspace, user, isAllowed) =>
      consent(world, address, workspace.state, user.state, isAllowed),
    organisation: (name) => new FakeOrganisation(tools, addOrganisation(world, name)),
    consentForAll: (address, organisation, workspaces, user) =>
      consent(world, address, workspaces[0].state, user.state, true, {
        of: organisation.state,
        workspaces: workspaces.map(({ state }) => state),
      }),
    sign: (attempt, timestampS) => signed(world, attempt, timestampS),
    pings: world.pings,
    files: world.files,
    requests: world.requests,
    fail: (method, effect, how) => {
      if (method !== DOWNLOAD && !router.names.has(method)) throw new Error(`no method ${method}`);
      router.plan.plan(method, effect, how);
    },
    loseShares: (count) => {
      world.lostShares = count;
    },
    heal: () => router.plan.clear(),
    until: async (holds, timeoutMs) => {
      await waiters.until(holds, () => 'no more is known', timeoutMs);
    },
    [Symbol.asyncDispose]: async () => {
      events.stop();
      await sockets.stop();
      await listening[Symbol.asyncDispose]();
    },
  };
};
