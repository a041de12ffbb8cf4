import { EVENTS } from '../limits.ts';
import type { Json } from '../json.ts';
import type { Channel, Installation, Workspace, World } from '../state.ts';
import type { Outcome, Transport } from './transport.ts';

/** When an event is delivered again after a try that failed ("Events API", "Retries"). */
const RETRIES_MS = [0, 60_000, 300_000] as const;

/** How a test disturbs the delivery of events. */
export interface Disturbance {
  /** Each event arrives so many times. Default 1. */
  readonly copies?: number;
  /** Each copy is held back up to so many ms. Default 0. */
  readonly jitterMs?: number;
  readonly random?: () => number;
}

export interface EventRecord {
  readonly id: string;
  readonly event: Json;
  readonly team: string;
  /** One a try, in order. */
  readonly outcomes: Outcome[];
  /** Set when no try is left. */
  lost: boolean;
}

export interface EventDriver {
  /** The events so far. */
  readonly log: readonly EventRecord[];
  /** What became of each `app_rate_limited`. */
  readonly limited: readonly Outcome[];
  disturb(how: Disturbance): void;
  /** Calls back as soon as an event was acknowledged. */
  onAcknowledged(tell: (record: EventRecord, afterMs: number) => void): void;
  /** Delivers an event once more, as Slack does without need. */
  repeat(record: EventRecord): Promise<Outcome>;
  /** Resolves when nothing is under way or waits for a retry. */
  settled(): Promise<void>;
}

export interface Events extends EventDriver {
  emit(
    about: { readonly workspaces: readonly Workspace[]; readonly channel?: Channel },
    event: Json,
  ): void;
  stop(): void;
}

const MESSAGES: Readonly<Record<Channel['kind'], string>> = {
  public: 'message.channels',
  private: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
};

/** The name by which an event is subscribed to: messages by the kind of their channel. */
const subscriptionOf = (event: Json, channel: Channel | undefined): string =>
  event['type'] === 'message' && channel ? MESSAGES[channel.kind] : String(event['type']);

/** Events kept in the log at least. */
const RECORDS = 20_000;

export const createEvents = (world: World, transport: () => Transport, speed: number): Events => {
  const log: EventRecord[] = [];
  const limitedOutcomes: Outcome[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const idle = new Set<() => void>();
  const tellers: ((record: EventRecord, afterMs: number) => void)[] = [];
  let disturbance: Disturbance = {};
  let busy = 0;

  const done = (): void => {
    busy -= 1;
    if (busy === 0) for (const tell of idle) tell();
    world.changed();
  };

  const later = (delayMs: number, run: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, delayMs);
    timers.add(timer);
  };

  const bodyOf = (record: EventRecord, installation: Installation, isShared: boolean): Json => ({
    token: 'verification-token-of-old',
    team_id: record.team,
    context_team_id: record.team,
    context_enterprise_id: installation.workspace.enterpriseId ?? null,
    api_app_id: world.app.id,
    event: record.event,
    type: 'event_callback',
    event_id: record.id,
    event_time: Math.floor(world.clock.now() / 1_000),
    ...(installation.workspace.enterpriseId === undefined
      ? {}
      : { enterprise_id: installation.workspace.enterpriseId }),
    authorizations: [
      {
        enterprise_id: installation.workspace.enterpriseId ?? null,
        team_id: installation.organisation ? null : record.team,
        user_id: installation.botUser.id,
        is_bot: true,
        is_enterprise_install: installation.organisation !== undefined,
      },
    ],
    is_ext_shared_channel: isShared,
    event_context: `4-${record.id}`,
  });

  const attempt = async (record: EventRecord, payload: Json, retry: number): Promise<void> => {
    const reason = record.outcomes.at(-1);
    const outcome = await transport().deliver({
      kind: 'events_api',
      payload,
      retry,
      reason: reason && !reason.acked ? reason.reason : undefined,
    });
    record.outcomes.push(outcome);
    const waitMs = RETRIES_MS[retry];
    if (outcome.acked) {
      for (const tell of tellers) tell(record, outcome.afterMs);
      return done();
    }
    if (waitMs === undefined) {
      record.lost = true;
      return done();
    }
    later(waitMs / speed, () => void attempt(record, payload, retry + 1));
  };

  const payloads = new WeakMap<EventRecord, Json>();

  const deliverLimited = async (teamId: string): Promise<void> => {
    const outcome = await transport().deliver({
      kind: 'events_api',
      payload: {
        token: 'verification-token-of-old',
        type: 'app_rate_limited',
        team_id: teamId,
        minute_rate_limited: Math.floor(world.clock.now() / 60_000) * 60,
        api_app_id: world.app.id,
      },
      retry: 0,
      reason: undefined,
    });
    limitedOutcomes.push(outcome);
    done();
  };

  /** Tells, once a minute, that a workspace has more events than are delivered. */
  const tellLimited = ({ workspace }: Installation): void => {
    const minute = { count: 1, windowMs: 60_000 };
    if (!world.limits.allows(`limited ${workspace.id}`, minute)) return;
    busy += 1;
    void deliverLimited(workspace.id);
  };

  const emitTo = (seeing: Installation, event: Json, isShared: boolean): void => {
    const rate = { ...EVENTS, count: world.app.eventsAnHour };
    if (!world.limits.allows(`events ${seeing.workspace.id}`, rate)) return tellLimited(seeing);
    const record: EventRecord = {
      id: world.clock.id('Ev'),
      event,
      team: seeing.workspace.id,
      outcomes: [],
      lost: false,
    };
    const payload = bodyOf(record, seeing, isShared);
    payloads.set(record, payload);
    log.push(record);
    if (log.length > 2 * RECORDS) log.splice(0, RECORDS);
    const { copies = 1, jitterMs = 0, random = Math.random } = disturbance;
    for (let copy = 0; copy < copies; copy += 1) {
      busy += 1;
      const start = (): void => void attempt(record, payload, 0);
      if (jitterMs > 0) later(random() * jitterMs, start);
      else start();
    }
  };

  return {
    log,
    limited: limitedOutcomes,
    onAcknowledged: (tell) => void tellers.push(tell),
    disturb: (how) => {
      disturbance = how;
    },
    repeat: async (record) => {
      const payload = payloads.get(record) ?? {};
      const outcome = await transport().deliver({
        kind: 'events_api',
        payload,
        retry: 1,
        reason: 'timeout',
      });
      record.outcomes.push(outcome);
      return outcome;
    },
    settled: async () => {
      if (busy > 0)
        await new Promise<void>((resolve) => {
          const tell = (): void => {
            idle.delete(tell);
            resolve();
          };
          idle.add(tell);
        });
    },
    emit: ({ workspaces, channel }, event) => {
      const { app } = world;
      const subscription = subscriptionOf(event, channel);
      if (!app.events.has('*') && !app.events.has(subscription)) return world.changed();
      const seeing = workspaces.flatMap(({ installation }) =>
        installation?.active &&
        (channel === undefined || channel.members.has(installation.botUser.id))
          ? installation
          : [],
      );
      // One event for the app, through one of the workspaces in which it may see it.
      for (const installation of seeing.slice(0, app.tellsEachWorkspace ? undefined : 1))
        emitTo(installation, event, (channel?.workspaces.length ?? 1) > 1);
      world.changed();
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
};
