# Fill Request Tracker with the threads of a JSON file, and write their pages: request_tracker.pl THREADS DATABASE PAGES
use lib '/usr/share/request-tracker5/lib';
use JSON;
use RT;
my ($threads, $database, $pages) = @ARGV;
RT::LoadConfig();
RT->Config->Set(DatabaseName => $database);
RT->Config->Set(WebRemoteUserAuth => 1);
RT->Config->Set(WebDomain => 'support.example');
RT->Config->Set(WebPath => '');
RT->Config->Set(RestrictReferrer => 0);
RT->Config->Set(ShowHistory => 'always');
RT->Config->Set(MailCommand => 'testfile');
RT->Config->Set(LogToSyslog => undef);
RT->Config->Set(LogToSTDERR => 'critical');
RT::Init();
require RT::Interface::Web::Handler;
require Plack::Test;
require HTTP::Request;

sub read_json { local $/; open my $in, '<', $_[0] or die; return decode_json(<$in>) }
sub message { return MIME::Entity->build(Type => 'text/plain', Charset => 'UTF-8', Data => [Encode::encode('UTF-8', $_[0])]) }

my $app = RT::Interface::Web::Handler->PSGIApp;
my @parts = (['staff', '/Ticket/Display.html?id=%d'], ['customer', '/SelfService/Display.html?id=%d'], ['history', '/Ticket/History.html?id=%d']);
open my $out, '>', $pages or die;
for my $thread (@{ read_json($threads) }) {
    my $ticket = RT::Ticket->new(RT->SystemUser);
    my ($first) = @{ $thread->{posts} };
    my ($id) = $ticket->Create(Queue => 'General', Subject => $thread->{title}, Requestor => "$first->{author}\@support.example",
        MIMEObj => message($first->{text}));
    my @written = ($ticket->Transactions->First->id);
    for my $post (@{ $thread->{posts} }[1 .. $#{ $thread->{posts} }]) {
        push @written, ($ticket->Correspond(MIMEObj => message($post->{text})))[0];
    }
    for my $place (0 .. $#written) {
        my $post = $thread->{posts}[$place];
        my $user = RT::User->new(RT->SystemUser);
        $user->LoadOrCreateByEmail("$post->{author}\@support.example");
        $RT::Handle->dbh->do('UPDATE Transactions SET Created = ?, Creator = ? WHERE id = ?', undef, $post->{date}, $user->id, $written[$place]);
    }
    $RT::Handle->dbh->do("DELETE FROM Transactions WHERE ObjectId = ? AND Type NOT IN ('Create', 'Correspond')", undef, $id);
    RT::DatabaseHandle->FlushCache if RT::DatabaseHandle->can('FlushCache');
    for my $part (@parts) {
        my $path = sprintf $part->[1], $id;
        my $request = HTTP::Request->new(GET => "http://support.example$path", ['Accept-Language' => $thread->{language}]);
        my $answer = Plack::Test->create(sub { $_[0]{REMOTE_USER} = 'root'; $app->($_[0]) })->request($request);
        print $out encode_json({ number => $thread->{number}, skin => $part->[0], path => $path, html => $answer->decoded_content }), "\n";
    }
}
