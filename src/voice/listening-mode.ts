import type { ConsentRule, RoomChoices } from '../model/room.ts';

/**
 * The use that a room makes of speech: `captions`, which everybody sees; `wake-word`, to notice
 * that somebody addresses the bot by name; `barge-in`, to let people speak first, without
 * recognition.
 */
export type ListeningUse = 'captions' | 'wake-word' | 'barge-in';

/** The way in which a room listens. */
export interface ListeningMode {
  readonly use: ListeningUse;
  readonly rule: ConsentRule;
  /** True when transcripts are shown while somebody still speaks. */
  readonly partials: boolean;
  /** Silence that ends an utterance. Default: the usual pause. */
  readonly pauseMs?: number;
}

/** The choices of moderators that decide how a room listens. */
export type ListeningChoices = Pick<
  RoomChoices,
  'consent' | 'partials' | 'pauseMs' | 'wakeWord' | 'bargeIn'
>;

/**
 * States of a room. `idle`: there are no captions. `preparing`: the channel of the captions is
 * looked up. `announcing`: people are informed of the captions. `ending`: the last captions are
 * finished. `closing`: the same in a room that is over. `closed`: the room no longer listens.
 */
type StateKind =
  | 'idle'
  | 'preparing'
  | 'announcing'
  | 'captioning'
  | 'ending'
  | 'closing'
  | 'closed';

export interface ListeningState {
  readonly kind: StateKind;
  readonly choices: ListeningChoices;
  /** True when the space may use no more audio today. */
  readonly isLimited: boolean;
}

/** Steps of captions, and the end of the room. */
type Step = 'start' | 'prepared' | 'announced' | 'stop' | 'ended' | 'close';
export type ListeningEvent =
  | { readonly kind: Step }
  | { readonly kind: 'choices-changed'; readonly choices: ListeningChoices }
  | { readonly kind: 'limit-reached' | 'limit-lifted' };

/** The state that each step leads to, from each state in which it is allowed. */
export const STEPS: Readonly<Record<StateKind, Readonly<Partial<Record<Step, StateKind>>>>> = {
  idle: { start: 'preparing', close: 'closed' },
  preparing: { prepared: 'announcing', stop: 'idle', close: 'closed' },
  announcing: { announced: 'captioning', stop: 'ending', close: 'closing' },
  captioning: { stop: 'ending', close: 'closing' },
  ending: { ended: 'idle', close: 'closing' },
  closing: { ended: 'closed' },
  closed: {},
};

const isOver = ({ kind }: ListeningState): boolean => kind === 'closing' || kind === 'closed';

export const firstState = (choices: ListeningChoices): ListeningState => ({
  kind: 'idle',
  choices,
  isLimited: false,
});

/** The state after an event; undefined where the event is not allowed in that state. */
export const next = (state: ListeningState, event: ListeningEvent): ListeningState | undefined => {
  if (event.kind === 'choices-changed')
    return isOver(state) ? undefined : { ...state, choices: event.choices };
  if (event.kind === 'limit-reached' || event.kind === 'limit-lifted') {
    const isLimited = event.kind === 'limit-reached';
    return isOver(state) || state.isLimited === isLimited ? undefined : { ...state, isLimited };
  }
  const kind = STEPS[state.kind][event.kind];
  return kind && { ...state, kind };
};

/** True when the room listens for captions. */
export const areCaptionsOn = ({ kind }: ListeningState): boolean =>
  kind === 'announcing' || kind === 'captioning';

/** The listening mode of a state; undefined when the room does not listen. */
export const modeOf = (state: ListeningState): ListeningMode | undefined => {
  const { consent: rule, partials, pauseMs, wakeWord, bargeIn } = state.choices;
  if (areCaptionsOn(state)) return { use: 'captions', rule, partials, pauseMs };
  if (isOver(state)) return undefined;
  if (wakeWord && !state.isLimited) return { use: 'wake-word', rule, partials: false };
  return bargeIn === 'off' ? undefined : { use: 'barge-in', rule, partials: false };
};
