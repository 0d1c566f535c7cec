<?php

declare(strict_types=1);

namespace Tefo\Http;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Tefo\Errors\ConnectionFailed;

/** Sends by a client of PSR-18, whose settings hold: time-outs, proxies. It should follow no redirects. */
final class Psr18Sender implements Sender
{
    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function send(Request $request): Response
    {
        $message = $this->requests->createRequest($request->method, $request->url);
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        if ($request->body !== null) {
            $message = $message->withBody($this->streams->createStream($request->body));
        }
        try {
            $answer = $this->client->sendRequest($message);
            $body = (string) $answer->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $broken) {
            throw new ConnectionFailed("No answer from {$request->url}: {$broken->getMessage()}", previous: $broken);
        }
        $headers = [];
        foreach ($answer->getHeaders() as $name => $values) {
            $headers[strtolower((string) $name)] = implode(', ', $values);
        }
        return new Response($answer->getStatusCode(), $headers, $body);
    }
}
