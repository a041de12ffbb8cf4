import type { Space } from '../model/place.ts';

/** An event as a platform delivered it. */
export interface Delivery {
  /** Unique on the platform, and the same each time the event is delivered. */
  readonly id: string;
  /** The space through which it came. */
  readonly space: Space;
  /** Events with the same key are handled in the order in which they came. */
  readonly orderKey: string;
  /** Id of the person whose words are in the body; undefined where there are none. */
  readonly authorId?: string | undefined;
  /** The event, as JSON. */
  readonly body: string;
}

/**
 * Keeps the events that a platform wants acknowledged before they can be handled: the platform does not
 * wait for what has to be asked of it first.
 */
export interface Deliveries extends Disposable {
  /**
   * Resolves once an event is durably stored. It is then handled, once, in its order, also after a
   * restart; one that was stored before is not handled again.
   */
  take(delivery: Delivery): Promise<void>;
  /** Has what an earlier process left handled, before anything new. */
  resume(): Promise<void>;
  /** Resolves when everything of a space that was taken before the call was handled. */
  handled(space: Space): Promise<void>;
}

/**
 * Opens the deliveries of a platform.
 *
 * @param handle handles the body of an event. Where it rejects, it is called again later, unless the
 *   `AppError` is not retryable
 */
export type OpenDeliveries = (
  platform: string,
  handle: (body: string) => Promise<void>,
) => Deliveries;
