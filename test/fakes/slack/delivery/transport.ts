import type { Json } from '../json.ts';

export type DeliveryKind = 'events_api' | 'slash_commands' | 'interactive';

/** One try to hand something to the app. */
export interface Attempt {
  readonly kind: DeliveryKind;
  readonly payload: Json;
  /** 0 for the first try. */
  readonly retry: number;
  readonly reason: string | undefined;
}

/** What became of a try: the app's answer, or why there is none (`x-slack-retry-reason`). */
export type Outcome =
  | { readonly acked: true; readonly body: unknown; readonly afterMs: number }
  | { readonly acked: false; readonly reason: string };

/** A way to the app: Socket Mode or HTTP. */
export interface Transport {
  deliver(attempt: Attempt): Promise<Outcome>;
}
