import { CloseCode, Intent, Opcode } from '../codes.ts';
import type { RawData, WebSocket } from 'ws';
import type { Json } from '../faults.ts';
import { renderJoinedGuild, renderMember, renderUser } from '../render.ts';
import { renderApplication } from '../routes/application.ts';
import type { World } from '../state.ts';
import { endVoice, obeyVoiceState } from '../voice/states.ts';
import type { Session } from './session.ts';

export interface ConnectionOptions {
  readonly heartbeatMs: number;
  readonly isMuted: () => boolean;
  /** Name of the client, where it uses `urlFor`. */
  readonly client: string;
  /** A session, a close code, or `throttled`: answered with op 9. */
  identify(socket: WebSocket, d: Json, client: string): Session | number | 'throttled';
  resume(socket: WebSocket, d: Json): Session | number | 'throttled';
}

/** 120 events in 60 s and 4,096 bytes each (reference, "Sending events"). */
const SENDS = { count: 120, windowMs: 60_000 };
const LONGEST_BYTES = 4096;

/** Ops that are taken and change nothing here: presence, soundboard. */
const IGNORED: readonly number[] = [3, 31, 43];

const sendReady = (world: World, session: Session): void => {
  const guilds = [...world.guilds.values()].filter(
    (one) => one.members.has(world.bot.id) && session.serves(one.id),
  );
  session.dispatch('READY', {
    v: 10,
    user: { ...renderUser(world.bot), verified: true, mfa_enabled: true, email: null, flags: 0 },
    guilds: guilds.map((one) => ({ id: one.id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url:
      world.origin.replace('http', 'ws') + (session.client === '' ? '' : `/from/${session.client}`),
    session_type: 'normal',
    private_channels: [],
    relationships: [],
    shard: session.shard,
    application: { id: world.applicationId, flags: renderApplication(world)['flags'] },
  });
  if (!(session.intents & Intent.Guilds)) return;
  const voice = (session.intents & Intent.GuildVoiceStates) !== 0;
  for (const one of guilds) session.dispatch('GUILD_CREATE', renderJoinedGuild(world, one, voice));
};

const sendMembers = (world: World, session: Session, d: Json): void => {
  const guild = world.guilds.get(String(d['guild_id']));
  if (guild === undefined) return;
  const ids = [d['user_ids'] ?? []].flat() as string[];
  const prefix = d['query'];
  const all = [...guild.members.values()].filter((one) =>
    typeof prefix === 'string' ? one.user.name.startsWith(prefix) : ids.includes(one.user.id),
  );
  const everybody = prefix === '' && Number(d['limit'] ?? 0) === 0;
  const granted = !everybody || (session.intents & Intent.GuildMembers) !== 0;
  session.dispatch('GUILD_MEMBERS_CHUNK', {
    guild_id: guild.id,
    members: granted ? all.map(renderMember) : [],
    chunk_index: 0,
    chunk_count: 1,
    not_found: ids.filter((id) => !guild.members.has(id)),
    ...(d['nonce'] === undefined ? {} : { nonce: d['nonce'] }),
  });
};

/** One WebSocket from HELLO to its end. */
export const openConnection = (
  world: World,
  socket: WebSocket,
  options: ConnectionOptions,
): void => {
  let session: Session | undefined;
  let sent = { count: 0, since: Date.now() };
  const send = (op: number, d: unknown): void =>
    socket.send(JSON.stringify({ op, d, s: null, t: null }));
  const timeout = setTimeout(
    () => socket.close(CloseCode.SessionTimedOut),
    options.heartbeatMs * 1.5,
  );
  timeout.unref();

  const start = (outcome: Session | number | 'throttled', resumed: boolean): void => {
    if (typeof outcome === 'number') return socket.close(outcome);
    if (outcome === 'throttled') return send(Opcode.InvalidSession, false);
    session = outcome;
    if (resumed) session.dispatch('RESUMED', {});
    else sendReady(world, session);
    world.changed();
  };

  const take = (op: number, d: Json): void => {
    if (op === Opcode.Heartbeat) {
      timeout.refresh();
      return options.isMuted() ? undefined : send(Opcode.HeartbeatAck, undefined);
    }
    if (op === Opcode.Identify || op === Opcode.Resume) {
      if (session !== undefined) return socket.close(CloseCode.AlreadyAuthenticated);
      return op === Opcode.Identify
        ? start(options.identify(socket, d, options.client), false)
        : start(options.resume(socket, d), true);
    }
    if (session === undefined) return socket.close(CloseCode.NotAuthenticated);
    if (op === Opcode.VoiceStateUpdate) return obeyVoiceState(world, session.id, d);
    if (op === Opcode.RequestGuildMembers) return sendMembers(world, session, d);
    if (!IGNORED.includes(op)) socket.close(CloseCode.UnknownOpcode);
  };

  const read = (raw: RawData, binary: boolean): void => {
    if (Date.now() - sent.since > SENDS.windowMs) sent = { count: 0, since: Date.now() };
    sent.count += 1;
    if (sent.count > SENDS.count) return socket.close(CloseCode.RateLimited);
    const text = Buffer.isBuffer(raw) && !binary ? raw.toString('utf8') : '';
    if (Buffer.byteLength(text) > LONGEST_BYTES) return socket.close(CloseCode.DecodeError);
    let payload: { op?: unknown; d?: unknown };
    try {
      payload = JSON.parse(text) as typeof payload;
    } catch {
      return socket.close(CloseCode.DecodeError);
    }
    take(Number(payload.op), (payload.d ?? {}) as Json);
  };

  socket.on('message', read);
  socket.on('error', () => socket.terminate());
  socket.once('close', (code) => {
    clearTimeout(timeout);
    const ended = code === 1000 || code === 1001 ? session : undefined;
    if (ended) endVoice(world, ended.id);
  });
  send(Opcode.Hello, { heartbeat_interval: options.heartbeatMs });
};
