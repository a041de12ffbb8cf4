import type { Receiver } from '@slack/bolt';

export interface EventTransportOptions {
  readonly url: string | undefined;
  readonly appToken: string | undefined;
  readonly signingSecret: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Every wait for another try is so many times shorter. Default 1. */
  readonly speed?: number;
}

/** The way by which Slack's events arrive. */
export interface EventTransport {
  readonly receiver: Receiver;
  /** Resolves with where the app can be reached. Rejects with an `AppError`. */
  start(): Promise<string>;
  /** Calls back after each connection: events may have been missed before it. */
  onConnected(connected: () => void): void;
  isConnected(): boolean;
  stop(): Promise<void>;
}
