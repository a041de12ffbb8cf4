import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, toAppError } from '../../src/errors.ts';
import type { MessageRef } from '../../src/model.ts';
import type { Adapter, Core } from '../../src/platform.ts';
import { createAcknowledge } from './acknowledge.ts';
import { createApi, type ApiOptions } from './api.ts';
import { contentIntentHint, readApplication, type Application } from './application.ts';
import { connect, createClient, destroy, isConnected, type Session } from './client.ts';
import { buildCommands } from './commands.ts';
import { createCopies } from './copies.ts';
import { createOpenFile } from './files.ts';
import { listen } from './inbound.ts';
import { createInteractions, type Interactions } from './interactions.ts';
import { inviteLink } from './invite.ts';
import { createMembers } from './members.ts';
import { createMessageReader } from './message.ts';
import { createOutbox } from './outbox.ts';
import { createOwnMessages } from './own-messages.ts';
import { createPlatform } from './platform.ts';
import { registerCommands } from './registration.ts';
import { createStandingPens } from './standing.ts';
import { createThreads } from './threads.ts';
import { createWatchPort, readRaw } from './watch.ts';
import { createWebhookRate, realClock, type Clock } from './webhook-rate.ts';
import { createWebhooks } from './webhooks.ts';

export interface DiscordOptions extends ApiOptions {
  /** For the rates of webhooks. */
  readonly clock?: Clock;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Other parts of the program do not wait longer for many shards, or for a gateway that is away. */
const PATIENCE_MS = 30_000;
/** What is being answered may say that it was stopped. */
const STOP_MS = 2_000;

export const createDiscordAdapter = (options: DiscordOptions, core: Core): Adapter => {
  const { log } = core;
  const { clock = realClock } = options;
  const stopped = new AbortController();
  let session: Session | undefined;
  let interactions: Interactions | undefined;

  const current = (): Session => {
    if (session) return session;
    throw new AppError('unavailable', 'Discord is not connected yet', { retryable: true });
  };
  const application = (): Application => current().application;

  const api = createApi(options);
  const openFile = createOpenFile(options.url);
  const renew = async (ref: MessageRef, fileId: string): Promise<string | undefined> => {
    const raw = await readRaw(api, ref);
    const files = raw?.message_snapshots?.[0]?.message.attachments ?? raw?.attachments;
    return files?.find(({ id }) => id === fileId)?.url;
  };
  const reader = createMessageReader({ application, openFile, renew });
  const webhooks = createWebhooks({ api, application, log, now: () => clock.now() });
  const standing = createStandingPens(api, webhooks);
  const threads = createThreads(api, () => application().botId);
  const rate = createWebhookRate(clock);
  const outbox = createOutbox({ api, webhooks, rate });
  const ownMessages = createOwnMessages(api, reader);
  const copies = createCopies({ api, outbox, ownMessages, standing });
  const members = createMembers(api);
  const watch = createWatchPort({ api, session: current, reader, members, threads, copies });

  const register = async ({ id }: Application): Promise<void> => {
    const commands = buildCommands(core);
    try {
      const changed = await registerCommands(api, id, commands);
      log.info({ changed, count: commands.length }, 'Discord: the commands are registered');
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      log.error({ code, reason: message }, 'Discord: the commands could not be registered');
    }
  };

  const goOnline = async (): Promise<string> => {
    const found = await readApplication(api);
    stopped.signal.throwIfAborted();
    if (!found.hasContentIntent)
      log.warn(`Discord hides what people write: ${contentIntentHint(found.id)}`);
    await register(found);
    const client = createClient(options, found);
    session = { application: found, client };
    const acknowledge = createAcknowledge(api, log);
    interactions = createInteractions({ api, core, acknowledge, reader, openFile });
    listen(client, {
      watcher: core.watcher,
      log,
      botId: found.botId,
      reader,
      members,
      interactions,
      fetch: async (ref) => {
        const raw = await readRaw(api, ref);
        return raw && members.complete(raw, ref.channel);
      },
      hasContentIntent: found.hasContentIntent,
      threadGone: (id) => void threads.forget(id),
    });
    try {
      await connect(client, options.token, found, log, ({ code, message }) =>
        log.error({ code, reason: message }, 'Discord: disconnected for good'),
      );
      stopped.signal.throwIfAborted();
    } catch (thrown) {
      session = undefined;
      await destroy(client);
      throw thrown;
    }
    const count = client.guilds.cache.size;
    const servers = `${count} ${count === 1 ? 'server' : 'servers'} as ${found.botName}`;
    return count > 0 ? servers : `${servers}; add it to one: ${inviteLink(found.id)}`;
  };

  /** Discord being away must not keep the other platforms from starting. */
  const keepTrying = async (): Promise<void> => {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      await sleep(waitMs, undefined, { ref: false, signal: stopped.signal });
      try {
        log.info({ where: await goOnline() }, 'Discord: connected');
        return;
      } catch (thrown) {
        if (stopped.signal.aborted) return;
        const { code, message, retryable } = toAppError(thrown);
        log.error({ code, reason: message }, 'Discord: still not connected');
        if (!retryable) return;
      }
    }
  };

  return {
    platform: createPlatform({ api, standing, watch }),
    start: async () => {
      const patience = new AbortController();
      const online = goOnline().catch((thrown: unknown) => {
        const fault = toAppError(thrown);
        if (!fault.retryable) throw fault;
        log.warn({ reason: fault.message }, 'Discord: not connected yet');
        keepTrying().catch(() => undefined);
        return 'not reached yet; it is tried again and again';
      });
      const slow = sleep(PATIENCE_MS, 'still connecting', { signal: patience.signal });
      const where = await Promise.race([online, slow]).finally(() => patience.abort());
      online.catch((thrown: unknown) => {
        if (stopped.signal.aborted) return;
        log.error({ reason: toAppError(thrown).message }, 'Discord: cannot be connected');
      });
      return { where };
    },
    ready: () => session !== undefined && isConnected(session.client) && api.isTokenGood(),
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      await Promise.race([interactions?.stop(), sleep(STOP_MS, undefined, { ref: false })]);
      if (session) await destroy(session.client);
    },
  };
};
