import type { Metrics } from '../ops/metrics.ts';
import type { SpeakerStats } from '../ports/voice.ts';

const MS = 1_000;
const CAPTION_BUCKETS = [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10, 20, 60];
const LOSS_BUCKETS = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
/** Fewest packets of which a share says something: a second of speech. */
const FEWEST_PACKETS = 50;

type Totals = Pick<SpeakerStats, 'received' | 'lost' | 'undecryptable'>;

const OUTCOMES = ['received', 'lost', 'undecryptable'] as const;

/** Counts of a room up to now. */
interface Measured {
  readonly last: Totals;
  /** Packets since the last value of its loss. */
  readonly received: number;
  readonly lost: number;
}

const NOT_MEASURED: Measured = {
  last: { received: 0, lost: 0, undecryptable: 0 },
  received: 0,
  lost: 0,
};

interface MeasuredRoom {
  /** Counts of each member since the room was joined. */
  readonly health: () => readonly Totals[];
}

/**
 * Declares the metrics of voice channels. A room is looked at when the metrics are asked for, and at its end: what
 * it lost since its last value is one value among those of all rooms, once enough packets came.
 */
export const declareVoiceMetrics = (metrics: Metrics, rooms: () => Iterable<MeasuredRoom>) => {
  const known = new WeakMap<MeasuredRoom, Measured>();
  // This gauge is read first, for it measures what the next two report.
  metrics.gauge(
    { name: 'dragoman_voice_rooms', help: 'Voice channels that the bot is in.' },
    () => {
      const all = [...rooms()];
      for (const room of all) measure(room);
      return all.length;
    },
  );
  const packets = metrics.counter({
    name: 'dragoman_voice_packets_total',
    help: 'Voice packets of subscribed members: received, lost or undecryptable.',
    labels: ['outcome'],
    known: OUTCOMES.map((outcome) => ({ outcome })),
  });
  const loss = metrics.histogram({
    name: 'dragoman_voice_room_loss_ratio',
    help: 'Share of the packets that a room lost since its last value.',
    buckets: LOSS_BUCKETS,
  });
  const lag = metrics.histogram({
    name: 'dragoman_caption_lag_seconds',
    help: 'Time from the end of speech to its caption in the channel.',
    buckets: CAPTION_BUCKETS,
  });
  const wordless = metrics.counter({
    name: 'dragoman_captions_wordless_total',
    help: 'Lines of clear speech in which the recogniser found no words.',
  });
  const measure = (room: MeasuredRoom): void => {
    const last = { received: 0, lost: 0, undecryptable: 0 };
    for (const member of room.health())
      for (const outcome of OUTCOMES) last[outcome] += member[outcome];
    const before = known.get(room) ?? NOT_MEASURED;
    const since = (count: keyof Totals): number => Math.max(0, last[count] - before.last[count]);
    for (const outcome of OUTCOMES) packets({ outcome }, since(outcome));
    const received = before.received + since('received');
    const lost = before.lost + since('lost');
    const isEnough = received + lost >= FEWEST_PACKETS;
    if (isEnough) loss(lost / (received + lost));
    known.set(room, isEnough ? { last, received: 0, lost: 0 } : { last, received, lost });
  };
  return {
    /** Takes the time from the end of speech to its caption in the channel. */
    captionShown: (lagMs: number): void => lag(Math.max(0, lagMs) / MS),
    wordless: (): void => wordless(),
    /** Measures a room that is over, for the last time. */
    roomEnded: measure,
  };
};
