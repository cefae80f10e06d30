/** One run of the server: its process and the client that talks with it. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  ProgressType,
  RevealOutputChannelOn,
  type InitializeParams,
  type LanguageClientOptions,
} from "vscode-languageclient/node";

import { isSet } from "../config";
import type { Limiter } from "../limiter";
import { serverSettings } from "../serverSettings";
import { tokenOf } from "../tokens";
import { middleware, SECTION } from "./middleware";
import { ServerProcess } from "./process";
import type { Program } from "./programs";

/** The files whose changes the server is notified of. */
export const LEAN_FILES = [
  { scheme: "file", language: "lean4" },
  { scheme: "file", language: "lean" },
];

const STATUS = "$/premiseSuggest/status";
const STOP_MS = 1500;

/** A client that only logs problems: the supervisor shows them, and withdraws them once they are solved. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** Links of hovers may run a command (`middleware`). */
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities.experimental = { commandLinks: true };
  }
}

export interface SessionOptions {
  readonly program: Program;
  readonly cwd: string;
  readonly channel: vscode.LogOutputChannel;
  readonly limiter: Limiter;
  readonly canCompete: () => boolean;
  readonly onStatus: (status: unknown) => void;
  /** The process has ended, intentionally or not. */
  readonly onGone: () => void;
}

export class Session {
  private readonly process: ServerProcess;
  private readonly client: LanguageClient;
  private tokens = 0;

  constructor(options: SessionOptions) {
    this.process = new ServerProcess(options.program, options.cwd, options.onGone);
    this.client = new QuietClient(
      SECTION,
      "Premise Suggest",
      () => Promise.resolve(this.process.child),
      clientOptions(options),
    );
    this.client.onNotification(STATUS, options.onStatus);
  }

  get lastWords(): string {
    return this.process.lastWords;
  }

  get pid(): number | undefined {
    return this.process.child.pid;
  }

  /** Resolves when the server answers; rejects where it ends before that. */
  async start(): Promise<void> {
    const ended = this.process.ended.then(() => Promise.reject(new Error("The server ended.")));
    const started = this.client.start();
    started.catch(() => undefined); // If the process ends first, that is reported.
    await Promise.race([started, ended]);
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (signal === undefined) return this.client.sendRequest<unknown>(method, params);
    const source = tokenOf(signal);
    return this.client.sendRequest<unknown>(method, params, source.token).finally(() => source.dispose());
  }

  /** Stop work that shows progress under a token; its request is answered with what there is. */
  stopWork(token: string): void {
    void this.client.sendNotification("window/workDoneProgress/cancel", { token });
  }

  /** A request that answers in parts before it answers whole. */
  async requestInParts(
    method: string,
    params: object,
    signal: AbortSignal,
    onPart: (part: unknown) => void,
  ): Promise<unknown> {
    const partialResultToken = `premise-suggest-${++this.tokens}`;
    const listener = this.client.onProgress(new ProgressType<unknown>(), partialResultToken, onPart);
    try {
      return await this.request(method, { ...params, partialResultToken }, signal);
    } finally {
      listener.dispose();
    }
  }

  /** End the server; resolves when its process has ended. */
  async end(): Promise<void> {
    try {
      await this.client.dispose(STOP_MS);
    } catch {
      // Not running any more, or too slow to go: the process is ended below in any case.
    }
    await this.process.end();
  }
}

function clientOptions(options: SessionOptions): LanguageClientOptions {
  return {
    documentSelector: LEAN_FILES,
    outputChannel: options.channel,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: () => serverSettings(vscode.workspace.getConfiguration().get(SECTION), isSet),
    // What comes of an end is decided by the supervisor (server.ts), not by the client.
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    initializationFailedHandler: () => false,
    middleware: middleware(options.limiter, options.canCompete),
    markdown: { isTrusted: false, supportHtml: false },
  };
}
