<?php

/*
 * The interfaces of PSR-18 and PSR-17 by hand, with the methods that the client uses, and a client behind them.
 */

declare(strict_types=1);

namespace Psr\Http\Message {
    interface StreamInterface
    {
        public function __toString(): string;
    }

    interface RequestInterface
    {
        public function withHeader(string $name, string $value): static;
        public function withBody(StreamInterface $body): static;
    }

    interface ResponseInterface
    {
        public function getStatusCode(): int;
        /** @return array<string, list<string>> */
        public function getHeaders(): array;
        public function getBody(): StreamInterface;
    }

    interface RequestFactoryInterface
    {
        public function createRequest(string $method, string $uri): RequestInterface;
    }

    interface StreamFactoryInterface
    {
        public function createStream(string $content = ''): StreamInterface;
    }
}

namespace Psr\Http\Client {
    interface ClientExceptionInterface extends \Throwable
    {
    }

    interface ClientInterface
    {
        public function sendRequest(\Psr\Http\Message\RequestInterface $request): \Psr\Http\Message\ResponseInterface;
    }
}

namespace {
    use Psr\Http\Client\ClientExceptionInterface;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message\RequestFactoryInterface;
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;
    use Psr\Http\Message\StreamFactoryInterface;
    use Psr\Http\Message\StreamInterface;

    final class StandInStream implements StreamInterface
    {
        public function __construct(private readonly string $content)
        {
        }

        public function __toString(): string
        {
            return $this->content;
        }
    }

    final class StandInRequest implements RequestInterface
    {
        /** @var list<string> */
        public array $lines = [];
        public string $body = '';

        public function __construct(public readonly string $method, public readonly string $url)
        {
        }

        public function withHeader(string $name, string $value): static
        {
            $other = clone $this;
            $other->lines[] = "{$name}: {$value}";
            return $other;
        }

        public function withBody(StreamInterface $body): static
        {
            $other = clone $this;
            $other->body = (string) $body;
            return $other;
        }
    }

    final class StandInResponse implements ResponseInterface
    {
        /** @param array<string, list<string>> $headers */
        public function __construct(private readonly int $status, private readonly array $headers, private readonly string $body)
        {
        }

        public function getStatusCode(): int
        {
            return $this->status;
        }

        public function getHeaders(): array
        {
            return $this->headers;
        }

        public function getBody(): StreamInterface
        {
            return new StandInStream($this->body);
        }
    }

    final class StandInFailure extends Exception implements ClientExceptionInterface
    {
    }

    /** Sends by PHP's own streams. */
    final class PsrStandIn implements ClientInterface, RequestFactoryInterface, StreamFactoryInterface
    {
        public function createRequest(string $method, string $uri): RequestInterface
        {
            return new StandInRequest($method, $uri);
        }

        public function createStream(string $content = ''): StreamInterface
        {
            return new StandInStream($content);
        }

        public function sendRequest(RequestInterface $request): ResponseInterface
        {
            assert($request instanceof StandInRequest);
            $options = ['method' => $request->method, 'header' => $request->lines, 'content' => $request->body, 'ignore_errors' => true];
            try {
                $body = file_get_contents($request->url, false, stream_context_create(['http' => $options]));
            } catch (ErrorException $error) {
                throw new StandInFailure($error->getMessage());
            }
            [$first] = $http_response_header;
            $headers = [];
            foreach (array_slice($http_response_header, 1) as $line) {
                [$name, $value] = explode(': ', $line, 2);
                $headers[$name][] = $value;
            }
            return new StandInResponse((int) explode(' ', $first)[1], $headers, (string) $body);
        }
    }
}
